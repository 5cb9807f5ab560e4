import { Type } from 'typebox'
import { printedDecimal } from '../fields.ts'
import { exchangeWithdrawExample, exchangeWithdrawFields, failedReason } from './exchange-withdraw.ts'
import { notificationBody, transactionHash } from './notification.ts'
import type { NotificationType } from './notification.ts'

const fields = {
  ...exchangeWithdrawFields,
  kind: Type.Literal('CryptoExchangeWithdraw'),
  blockchain: Type.String({ description: 'Network of the withdrawal' }),
  address: Type.String({ description: 'Destination' }),
  to: Type.String({ description: 'The same as `address`' }),
  hash: Type.Optional(transactionHash()),
  internal: Type.Optional(
    Type.Boolean({ description: 'Paid to another merchant of this service, without a transaction' }),
  ),
  paidAmount: Type.Optional(printedDecimal('The amount that was paid')),
  failedAmount: Type.Optional(printedDecimal('The amount that was not paid')),
}

const example = {
  ...exchangeWithdrawExample,
  kind: 'CryptoExchangeWithdraw',
  ticker: 'USDT',
  amount: '2288.5',
  fee: '1',
  pricePair: ['BTC', 'USDT'],
  blockchain: 'TRON',
  address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  to: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  exchanged: true,
}

export const CryptoExchangeWithdrawExchanged = notificationBody(
  { ...fields, status: Type.Literal('Exchanged') },
  {
    title: 'CryptoExchangeWithdrawExchanged',
    description: 'The exchange is filled, the withdrawal follows',
    examples: [{ ...example, status: 'Exchanged' }],
  },
)

export const CryptoExchangeWithdrawDone = notificationBody(
  { ...fields, status: Type.Literal('Done') },
  {
    title: 'CryptoExchangeWithdrawDone',
    description: 'The withdrawal is sent',
    examples: [{ ...example, status: 'Done', internal: true }],
  },
)

export const CryptoExchangeWithdrawFailed = notificationBody(
  { ...fields, status: Type.Literal('Failed'), failedReason: failedReason() },
  {
    title: 'CryptoExchangeWithdrawFailed',
    description: 'Failed. With `exchanged` true, the asset bought is on the balance',
    examples: [{ ...example, exchanged: false, status: 'Failed', failedReason: 'ERRROR_CODE_GENERIC' }],
  },
)

export const CryptoExchangeWithdraw = Type.Union(
  [CryptoExchangeWithdrawExchanged, CryptoExchangeWithdrawDone, CryptoExchangeWithdrawFailed],
  { title: 'CryptoExchangeWithdraw', description: 'An exchange with withdrawal to a chain address' },
)

/** `contract.md` 6.7. */
export const cryptoExchangeWithdrawNotice: NotificationType = {
  name: 'cryptoExchangeWithdraw',
  kind: 'CryptoExchangeWithdraw',
  summary: 'Exchange with crypto withdrawal',
  description: 'Exchanged, then Done; Failed before or after Exchanged.',
  statuses: {
    Exchanged: CryptoExchangeWithdrawExchanged,
    Done: CryptoExchangeWithdrawDone,
    Failed: CryptoExchangeWithdrawFailed,
  },
  schema: CryptoExchangeWithdraw,
}

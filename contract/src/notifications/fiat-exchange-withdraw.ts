import { Type } from 'typebox'
import { printedDecimal } from '../fields.ts'
import { exchangeWithdrawExample, exchangeWithdrawFields, failedReason } from './exchange-withdraw.ts'
import { notificationBody } from './notification.ts'
import type { NotificationType } from './notification.ts'

const paid = {
  paidAmount: printedDecimal('The amount that was paid: rely on this amount'),
  failedAmount: printedDecimal('The amount that was not paid and is back on the balance'),
  paidFee: printedDecimal('Fee of the parts paid'),
  failedFee: printedDecimal('Fee of the parts not paid, back on the balance'),
}

const fields = {
  ...exchangeWithdrawFields,
  kind: Type.Literal('FiatExchangeWithdraw'),
  to: Type.String({ description: 'Destination card, masked' }),
}

const example = {
  ...exchangeWithdrawExample,
  kind: 'FiatExchangeWithdraw',
  ticker: 'UAH',
  amount: '91540',
  fee: '915.4',
  price: '920000',
  pricePair: ['BTC', 'UAH'],
  to: '411111******1111',
  exchanged: true,
}

export const FiatExchangeWithdrawExchanged = notificationBody(
  { ...fields, status: Type.Literal('Exchanged') },
  {
    title: 'FiatExchangeWithdrawExchanged',
    description: 'The exchange is filled, the payout follows',
    examples: [{ ...example, status: 'Exchanged' }],
  },
)

export const FiatExchangeWithdrawDone = notificationBody(
  { ...fields, ...paid, status: Type.Literal('Done') },
  {
    title: 'FiatExchangeWithdrawDone',
    description: 'Every part of the payout has ended',
    examples: [
      {
        ...example,
        status: 'Done',
        paidAmount: '91540',
        failedAmount: '0',
        paidFee: '915.4',
        failedFee: '0',
      },
    ],
  },
)

export const FiatExchangeWithdrawFailed = notificationBody(
  {
    ...fields,
    status: Type.Literal('Failed'),
    failedReason: failedReason(),
    paidAmount: Type.Optional(paid.paidAmount),
    failedAmount: Type.Optional(paid.failedAmount),
    paidFee: Type.Optional(paid.paidFee),
    failedFee: Type.Optional(paid.failedFee),
  },
  {
    title: 'FiatExchangeWithdrawFailed',
    description: 'Failed. With `exchanged` true, the currency bought is on the balance',
    examples: [{ ...example, exchanged: false, status: 'Failed', failedReason: 'ERRROR_CODE_GENERIC' }],
  },
)

export const FiatExchangeWithdraw = Type.Union(
  [FiatExchangeWithdrawExchanged, FiatExchangeWithdrawDone, FiatExchangeWithdrawFailed],
  { title: 'FiatExchangeWithdraw', description: 'An exchange with payout to a card' },
)

/** `contract.md` 6.7. */
export const fiatExchangeWithdrawNotice: NotificationType = {
  name: 'fiatExchangeWithdraw',
  kind: 'FiatExchangeWithdraw',
  summary: 'Exchange with card payout',
  description: 'Exchanged, then Done; Failed before or after Exchanged. Paid out as a batch.',
  statuses: {
    Exchanged: FiatExchangeWithdrawExchanged,
    Done: FiatExchangeWithdrawDone,
    Failed: FiatExchangeWithdrawFailed,
  },
  schema: FiatExchangeWithdraw,
}

import { Type } from 'typebox'
import { printedDecimal } from '../fields.ts'
import { FailReason } from './fail-reasons.ts'
import { blockHeight, commonFields, givenFields, notificationBody, transactionHash } from './notification.ts'
import type { NotificationType } from './notification.ts'

const fields = {
  ...commonFields,
  ...givenFields,
  kind: Type.Literal('Withdraw'),
  ticker: Type.String({ description: 'Asset' }),
  blockchain: Type.String({ description: 'Network' }),
  hash: Type.Optional(transactionHash()),
  from: Type.Array(Type.String(), { description: 'Addresses that paid' }),
  to: Type.String({ description: 'Destination' }),
  amount: printedDecimal('The amount that the receiver gets'),
  fee: printedDecimal('Fee; the balance falls by `amount` and `fee`'),
  internal: Type.Boolean({ description: 'Paid to another merchant of this service, without a transaction' }),
}

const example = {
  id: '0d3e8d1a-7c1b-4b8e-9a55-2f6f0f3f5a11',
  ticker: 'USDT',
  blockchain: 'ETHEREUM',
  merchantId: '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10',
  hash: '0x9b1f0c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d',
  from: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  to: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  amount: '10',
  fee: '0.1',
  time: 1677486443000,
  meta: 'your-info',
  localId: 'order-1042',
  kind: 'Withdraw',
  internal: false,
}

export const CryptoWithdrawPending = notificationBody(
  { ...fields, status: Type.Literal('Pending') },
  { title: 'CryptoWithdrawPending', description: 'Sent to the network', examples: [{ ...example, status: 'Pending' }] },
)

export const CryptoWithdrawDone = notificationBody(
  { ...fields, status: Type.Literal('Done'), block: Type.Optional(blockHeight()) },
  {
    title: 'CryptoWithdrawDone',
    description: 'In a block',
    examples: [{ ...example, status: 'Done', block: 16719004 }],
  },
)

export const CryptoWithdrawFailed = notificationBody(
  { ...fields, status: Type.Literal('Failed'), failReason: FailReason },
  {
    title: 'CryptoWithdrawFailed',
    description: 'Not paid; amount and fee are back on the balance',
    examples: [{ ...example, status: 'Failed', failReason: 'ERRROR_CODE_GENERIC' }],
  },
)

export const CryptoWithdraw = Type.Union([CryptoWithdrawPending, CryptoWithdrawDone, CryptoWithdrawFailed], {
  title: 'CryptoWithdraw',
  description: 'A withdrawal to a chain address; has `blockchain`, which a card payout has not',
})

/** `contract.md` 6.2. */
export const cryptoWithdrawNotice: NotificationType = {
  name: 'cryptoWithdraw',
  kind: 'Withdraw',
  summary: 'Crypto withdrawal',
  description:
    'A withdrawal to a chain address. Pending, then Done or Failed. Has `blockchain`, which a card payout has not.',
  statuses: { Pending: CryptoWithdrawPending, Done: CryptoWithdrawDone, Failed: CryptoWithdrawFailed },
  schema: CryptoWithdraw,
}

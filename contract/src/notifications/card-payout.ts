import { Type } from 'typebox'
import { printedDecimal } from '../fields.ts'
import { FailReason } from './fail-reasons.ts'
import { commonFields, givenFields, notificationBody } from './notification.ts'
import type { NotificationType } from './notification.ts'

const fields = {
  ...commonFields,
  ...givenFields,
  ticker: Type.String({ description: 'Currency' }),
  to: Type.String({ description: 'Destination card, masked' }),
  amount: printedDecimal('The requested amount'),
  fee: printedDecimal('Fee'),
  internal: Type.Boolean({ description: 'Always false: a card payout leaves the service' }),
}

const withdrawFields = {
  ...fields,
  kind: Type.Literal('Withdraw'),
  cardNumber: Type.String({ description: 'Destination card, masked; the same as `to`' }),
}

const example = {
  id: '5b7b3f52-1b0e-4d6c-8f0a-6d2f6d1c9e21',
  ticker: 'UAH',
  merchantId: '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10',
  to: '411111******1111',
  amount: '1000',
  fee: '10',
  time: 1677486443000,
  meta: 'your-info',
  localId: 'payout-7',
  internal: false,
}
const withdrawExample = { ...example, kind: 'Withdraw', cardNumber: '411111******1111' }

export const FiatWithdrawDone = notificationBody(
  { ...withdrawFields, status: Type.Literal('Done') },
  { title: 'FiatWithdrawDone', description: 'Paid', examples: [{ ...withdrawExample, status: 'Done' }] },
)

export const FiatWithdrawFailed = notificationBody(
  { ...withdrawFields, status: Type.Literal('Failed'), failReason: FailReason },
  {
    title: 'FiatWithdrawFailed',
    description: 'Not paid; amount and fee are back on the balance',
    examples: [{ ...withdrawExample, status: 'Failed', failReason: 'ERRROR_CODE_GENERIC' }],
  },
)

export const FiatWithdraw = Type.Union([FiatWithdrawDone, FiatWithdrawFailed], {
  title: 'FiatWithdraw',
  description: 'A single card payout; has `cardNumber`, which a crypto withdrawal has not',
})

export const WithdrawBatchDone = notificationBody(
  {
    ...fields,
    kind: Type.Literal('WithdrawBatch'),
    status: Type.Literal('Done'),
    paidAmount: printedDecimal('The amount that was paid: rely on this amount'),
    failedAmount: printedDecimal('The amount that was not paid and is back on the balance'),
    paidFee: printedDecimal('Fee of the parts paid'),
    failedFee: printedDecimal('Fee of the parts not paid, back on the balance'),
  },
  {
    title: 'WithdrawBatchDone',
    description: 'Every part of a batch has ended',
    examples: [
      {
        ...example,
        amount: '100000',
        fee: '1000',
        kind: 'WithdrawBatch',
        status: 'Done',
        paidAmount: '91553',
        failedAmount: '8447',
        paidFee: '915.53',
        failedFee: '84.47',
      },
    ],
  },
)

/** `contract.md` 6.5, 16 #11. */
export const fiatWithdrawNotice: NotificationType = {
  name: 'fiatWithdraw',
  kind: 'Withdraw',
  summary: 'Card payout',
  description: 'A single card payout: Done or Failed. Has `cardNumber`, which a crypto withdrawal has not.',
  statuses: { Done: FiatWithdrawDone, Failed: FiatWithdrawFailed },
  schema: FiatWithdraw,
}

/** `contract.md` 6.6. */
export const withdrawBatchNotice: NotificationType = {
  name: 'withdrawBatch',
  kind: 'WithdrawBatch',
  summary: 'Batch of card payouts',
  description: 'Every part of a batch has ended. Parts may have failed: `paidAmount` is the figure to trust.',
  statuses: { Done: WithdrawBatchDone },
  schema: WithdrawBatchDone,
}

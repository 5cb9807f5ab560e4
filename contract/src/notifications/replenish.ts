import { Type } from 'typebox'
import { printedDecimal } from '../fields.ts'
import { Compliance, complianceExample } from './compliance.ts'
import { FailReason } from './fail-reasons.ts'
import { blockHeight, commonFields, givenFields, notificationBody, transactionHash } from './notification.ts'
import type { NotificationType } from './notification.ts'

const fields = {
  ...commonFields,
  kind: Type.Literal('Replenish'),
  ticker: Type.String({ description: 'Asset' }),
  blockchain: Type.String({ description: 'Network' }),
  hash: Type.Optional(transactionHash()),
  from: Type.Array(Type.String(), { description: 'Senders' }),
  to: Type.String({ description: "The merchant's deposit address" }),
  amount: printedDecimal('The amount that arrived'),
  fee: printedDecimal("The service's fee; the balance grows by `amount` less `fee`"),
  meta: givenFields.meta,
  internal: Type.Boolean({ description: 'Moved between two merchants of this service, without a transaction' }),
  withdrawId: Type.Optional(Type.String({ description: 'The matching withdrawal when `internal`' })),
}

const example = {
  id: '8c12e071-cd00-439d-90c0-74a8c2f96da2',
  ticker: 'BTC',
  blockchain: 'BITCOIN',
  merchantId: '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10',
  hash: '4f6b1f2c9a3e5d7081b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718',
  from: ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
  to: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  amount: '1',
  fee: '0.01',
  time: 1677486443000,
  meta: 'your-info',
  kind: 'Replenish',
  internal: false,
}

export const ReplenishPending = notificationBody(
  { ...fields, status: Type.Literal('Pending') },
  {
    title: 'ReplenishPending',
    description: 'In the mempool or in a block, not credited yet',
    examples: [{ ...example, status: 'Pending' }],
  },
)

export const ReplenishDone = notificationBody(
  { ...fields, status: Type.Literal('Done'), block: Type.Optional(blockHeight()) },
  {
    title: 'ReplenishDone',
    description: 'Confirmed and credited',
    examples: [{ ...example, status: 'Done', block: 778412 }],
  },
)

export const ReplenishVerified = notificationBody(
  { ...fields, status: Type.Literal('Verified'), block: Type.Optional(blockHeight()), compliance: Compliance },
  {
    title: 'ReplenishVerified',
    description: 'Credited, and passed screening',
    examples: [{ ...example, status: 'Verified', block: 778412, compliance: complianceExample }],
  },
)

export const ReplenishFailed = notificationBody(
  { ...fields, status: Type.Literal('Failed'), block: Type.Optional(blockHeight()), failReason: FailReason },
  {
    title: 'ReplenishFailed',
    description: 'Not credited',
    examples: [{ ...example, amount: '0.00001', fee: '0', status: 'Failed', failReason: 'LESS_THEN_MIN_AMOUNT' }],
  },
)

export const Replenish = Type.Union([ReplenishPending, ReplenishDone, ReplenishVerified, ReplenishFailed], {
  title: 'Replenish',
  description: 'A deposit to a permanent or rotating address',
})

/** `contract.md` 6.1. */
export const replenishNotice: NotificationType = {
  name: 'replenish',
  kind: 'Replenish',
  summary: 'Deposit',
  description:
    'A deposit to a permanent or rotating address. Pending, then Done or Failed; Verified after Done when screening ' +
    'is on.',
  statuses: { Pending: ReplenishPending, Done: ReplenishDone, Verified: ReplenishVerified, Failed: ReplenishFailed },
  schema: Replenish,
}

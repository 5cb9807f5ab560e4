import type { Moment } from '../../platform/base/moment.ts'
import {
  PLATFORM,
  mergeEntries,
  type AccountKind,
  type Cause,
  type Item,
  type TransferEntry,
} from '../../ledger/postings/index.ts'
import type { CardHold, Payment } from './payment.ts'

/** Money of a party at an account with an acquirer. Units are minor units of the currency, 1/100. */
export interface AtAcquirer {
  merchantId: string
  acquirer: string
  ticker: string
}

export interface Took extends AtAcquirer {
  units: bigint
  /** the acquirer's fee; 0 while it is unknown */
  costUnits: bigint
}

const entryOf = ({ merchantId, ticker }: AtAcquirer, kind: AccountKind, posted: bigint, held = 0n): TransferEntry => ({
  account: { merchantId, asset: ticker, kind },
  posted,
  held,
})

const itemOf = (
  owner: AtAcquirer,
  cause: Cause,
  entries: readonly TransferEntry[],
  { at, newId }: Moment,
  closes?: string,
): Item => ({
  transfer: {
    id: newId(),
    merchantId: owner.merchantId,
    kind: closes === undefined ? 'post' : 'capture',
    cause,
    entries: mergeEntries(entries),
    at,
    ...(closes === undefined ? {} : { closes }),
  },
})

/**
 * Entries of the acquirer's side of money received for us: its balance grows by the amount less its fee. The sum is
 * -units.
 */
const takenInEntries = (money: Took): TransferEntry[] => [
  entryOf(money, `acquirer:${money.acquirer}`, money.costUnits - money.units),
  entryOf(money, 'acquirer-costs', -money.costUnits),
]

/**
 * Entries of the acquirer's side of money paid out for us: its balance falls by the amount and its fee. The sum is
 * +units.
 */
export const paidOutEntries = (money: Took): TransferEntry[] => [
  entryOf(money, `acquirer:${money.acquirer}`, money.units + money.costUnits),
  entryOf(money, 'acquirer-costs', -money.costUnits),
]

/** Posts an acquirer's fee that became known later or was corrected: `units` more, or less if negative. */
export const costItem = (money: AtAcquirer & { units: bigint }, cause: Cause, moment: Moment): Item =>
  itemOf(money, cause, paidOutEntries({ ...money, units: 0n, costUnits: money.units }), moment)

/**
 * Posts a payment credited to a merchant: the amount less our fee. The merchant's debt is repaid from it first.
 * @param owed the debt, not negative
 * @returns the item, and the remaining debt
 */
export const creditItem = (
  payment: Took & { id: string; fee: bigint },
  owed: bigint,
  moment: Moment,
): { item: Item; owed: bigint } => {
  const net = payment.units - payment.fee
  const repaid = owed < net ? owed : net
  const entries = [
    ...takenInEntries(payment),
    entryOf(payment, 'merchant', net - repaid),
    entryOf(payment, 'receivable', repaid),
    entryOf(payment, 'fees', payment.fee),
  ]
  return { item: itemOf(payment, { kind: 'payment', id: payment.id }, entries, moment), owed: owed - repaid }
}

/** Posts a payment that can't be attributed: the acquirer holds the money, which has no owner yet. */
export const suspendItem = (payment: Took & { id: string }, moment: Moment): Item =>
  itemOf(
    payment,
    { kind: 'payment', id: payment.id },
    [...takenInEntries(payment), entryOf(payment, 'suspense', payment.units)],
    moment,
  )

/** Posts suspended money to the merchant, by an operator's decision. The merchant's debt is repaid first. */
export const acceptItem = (
  payment: AtAcquirer & { id: string; units: bigint; fee: bigint },
  owed: bigint,
  moment: Moment,
): { item: Item; owed: bigint } => {
  const net = payment.units - payment.fee
  const repaid = owed < net ? owed : net
  const entries = [
    entryOf(payment, 'suspense', -payment.units),
    entryOf(payment, 'merchant', net - repaid),
    entryOf(payment, 'receivable', repaid),
    entryOf(payment, 'fees', payment.fee),
  ]
  return { item: itemOf(payment, { kind: 'payment', id: payment.id }, entries, moment), owed: owed - repaid }
}

/**
 * Posts a chargeback or a refund made without us: the available money is taken, and the rest becomes a debt. Our `fee`
 * is returned too. The acquirer's fee stays a cost, because the acquirer keeps it.
 * @param units the amount returned; `fee` is ours, 0 for a part and for money in suspense
 * @param from the account that the payment was posted to, and its available amount
 */
export const takeBackItem = (
  payment: AtAcquirer & { id: string; units: bigint; fee: bigint },
  from: { account: 'merchant' | 'suspense'; available: bigint },
  moment: Moment,
): { item: Item; taken: bigint; short: bigint } => {
  const net = payment.units - payment.fee
  const taken = from.available < net ? from.available : net
  const short = net - taken
  const entries = [
    entryOf(payment, `acquirer:${payment.acquirer}`, payment.units),
    entryOf(payment, from.account, -taken),
    entryOf(payment, 'receivable', -short),
    entryOf(payment, 'fees', -payment.fee),
  ]
  return { item: itemOf(payment, { kind: 'payment', id: payment.id }, entries, moment), taken, short }
}

/** Holds as much of a disputed payment's money as is available. */
export const holdDisputedItem = (payment: Payment, at: Date): Item => ({
  transfer: disputeTransfer(payment, 'hold', payment.disputeHoldId!, payment.disputeUnits!, at),
})

/** Releases the hold of a dispute that has ended. */
export const releaseDisputedItem = (payment: Payment, { at, newId }: Moment): Item => ({
  transfer: {
    ...disputeTransfer(payment, 'release', newId(), -payment.disputeUnits!, at),
    closes: payment.disputeHoldId!,
  },
})

const disputeTransfer = (
  { merchantId, id, acquirer, paidTicker }: Payment,
  kind: 'hold' | 'release',
  transferId: string,
  units: bigint,
  at: Date,
) => ({
  id: transferId,
  merchantId,
  kind,
  cause: { kind: 'payment', id } as const,
  entries: [entryOf({ merchantId, acquirer, ticker: paidTicker! }, 'merchant', 0n, units)],
  at,
})

/** Holds money of a card payment that its merchant can't spend yet. */
export const cardHoldItem = (hold: CardHold, at: Date): Item => ({
  transfer: cardHoldTransfer(hold, 'hold', hold.id, hold.units, at),
})

export const cardReleaseItem = (hold: CardHold, { at, newId }: Moment): Item => ({
  transfer: { ...cardHoldTransfer(hold, 'release', newId(), -hold.units, at), closes: hold.id },
})

/** Posts the repayment of a merchant's debt from held money that is released. */
export const repayItem = ({ merchantId, paymentId, ticker }: CardHold, units: bigint, moment: Moment): Item => {
  const owner = { merchantId, acquirer: '', ticker }
  return itemOf(
    owner,
    { kind: 'payment', id: paymentId },
    [entryOf(owner, 'merchant', -units), entryOf(owner, 'receivable', units)],
    moment,
  )
}

const cardHoldTransfer = (
  { merchantId, paymentId, ticker }: CardHold,
  kind: 'hold' | 'release',
  id: string,
  units: bigint,
  at: Date,
) => ({
  id,
  merchantId,
  kind,
  cause: { kind: 'payment', id: paymentId } as const,
  entries: [entryOf({ merchantId, acquirer: '', ticker }, 'merchant', 0n, units)],
  at,
})

/** A refund's money, held while the acquirer is asked for the refund. */
export interface HeldRefund extends AtAcquirer {
  id: string
  from: 'merchant' | 'suspense'
  units: bigint
  holdId: string
}

export const holdRefundItem = (refund: HeldRefund, at: Date): Item => ({
  transfer: {
    id: refund.holdId,
    merchantId: refund.merchantId,
    kind: 'hold',
    cause: { kind: 'refund', id: refund.id },
    entries: [entryOf(refund, refund.from, 0n, refund.units)],
    at,
  },
})

/** Captures a refund's hold: the acquirer returned the money, so its balance and the owner's are reduced. */
export const captureRefundItem = (refund: HeldRefund & { costUnits: bigint }, moment: Moment): Item =>
  itemOf(
    refund,
    { kind: 'refund', id: refund.id },
    [...paidOutEntries(refund), entryOf(refund, refund.from, -refund.units, -refund.units)],
    moment,
    refund.holdId,
  )

/** Releases a refund's hold: the acquirer will not make the refund. */
export const releaseRefundItem = (refund: HeldRefund, moment: Moment): Item => {
  const item = itemOf(
    refund,
    { kind: 'refund', id: refund.id },
    [entryOf(refund, refund.from, 0n, -refund.units)],
    moment,
    refund.holdId,
  )
  return { transfer: { ...item.transfer, kind: 'release' } }
}

/** The platform's own money at an acquirer or in the bank. */
interface PlatformMoney {
  acquirer: string
  ticker: string
  units: bigint
}

const platformItem = (
  { ticker, acquirer }: PlatformMoney,
  entries: [AccountKind, bigint][],
  { at, newId }: Moment,
): Item => {
  const id = newId()
  const owner = { merchantId: PLATFORM, ticker, acquirer }
  return {
    transfer: {
      id,
      merchantId: PLATFORM,
      kind: 'post',
      cause: { kind: 'settlement', id },
      entries: mergeEntries(entries.map(([kind, posted]) => entryOf(owner, kind, posted))),
      at,
    },
  }
}

/** Posts capital that the owner paid into an account with an acquirer, for payouts. Negative: withdrew from it. */
export const fundAcquirerItem = (money: PlatformMoney, moment: Moment): Item =>
  platformItem(
    money,
    [
      [`acquirer:${money.acquirer}`, -money.units],
      ['capital', money.units],
    ],
    moment,
  )

/** Posts a settlement from the acquirer to our bank account (`units` above 0), or the reverse (below 0). */
export const settleItem = (money: PlatformMoney, moment: Moment): Item =>
  platformItem(
    money,
    [
      [`acquirer:${money.acquirer}`, money.units],
      [`settlement:${money.acquirer}`, -money.units],
    ],
    moment,
  )

/**
 * Posts the arrival in the bank of money in transit from an acquirer (`units` above 0), or its departure to it (below
 * 0).
 */
export const bankItem = (money: PlatformMoney, moment: Moment): Item =>
  platformItem(
    money,
    [
      [`settlement:${money.acquirer}`, money.units],
      ['bank', -money.units],
    ],
    moment,
  )

/** Posts a fee of the account itself, which belongs to no payment. */
export const accountFeeItem = (money: PlatformMoney, moment: Moment): Item =>
  platformItem(
    money,
    [
      [`acquirer:${money.acquirer}`, money.units],
      ['acquirer-costs', -money.units],
    ],
    moment,
  )

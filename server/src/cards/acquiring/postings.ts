import type { Moment } from '../../platform/base/moment.ts'
import { PLATFORM, tidyLegs, type AccountKind, type Cause, type Item, type Leg } from '../../ledger/postings/index.ts'
import type { CardHold, Payment } from './payment.ts'

/** Whose money moves at which account with an acquirer. Units are minor units of the currency, 1/100. */
export interface AtAcquirer {
  merchantId: string
  acquirer: string
  ticker: string
}

export interface Took extends AtAcquirer {
  units: bigint
  /** what the acquirer keeps of it or takes on top; 0 while it isn't known */
  costUnits: bigint
}

const entryOf = ({ merchantId, ticker }: AtAcquirer, kind: AccountKind, posted: bigint, held = 0n): Leg => ({
  account: { merchantId, asset: ticker, kind },
  posted,
  held,
})

const itemOf = (
  owner: AtAcquirer,
  cause: Cause,
  legs: readonly Leg[],
  { at, newId }: Moment,
  closes?: string,
): Item => ({
  transfer: {
    id: newId(),
    merchantId: owner.merchantId,
    kind: closes === undefined ? 'post' : 'capture',
    cause,
    legs: tidyLegs(legs),
    at,
    ...(closes === undefined ? {} : { closes }),
  },
})

/** The acquirer's side of money it took in for us: it holds more, less what it keeps. Adds up to -units. */
const takenInEntries = (money: Took): Leg[] => [
  entryOf(money, `acquirer:${money.acquirer}`, money.costUnits - money.units),
  entryOf(money, 'acquirer-costs', -money.costUnits),
]

/**
 * The acquirer's side of money it paid out for us: it holds less, and less again by what it takes. Adds up to +units.
 */
export const paidOutEntries = (money: Took): Leg[] => [
  entryOf(money, `acquirer:${money.acquirer}`, money.units + money.costUnits),
  entryOf(money, 'acquirer-costs', -money.costUnits),
]

/** What an acquirer took is known later, or is another figure than was booked: `units` more, or less where below 0. */
export const costItem = (money: AtAcquirer & { units: bigint }, cause: Cause, moment: Moment): Item =>
  itemOf(money, cause, paidOutEntries({ ...money, units: 0n, costUnits: money.units }), moment)

/**
 * A payment whose money is the merchant's: the amount less our fee, of which what the merchant owes is repaid first.
 * @param owed not negative
 * @returns the item, and what is owed after it
 */
export const creditItem = (
  payment: Took & { id: string; fee: bigint },
  owed: bigint,
  moment: Moment,
): { item: Item; owed: bigint } => {
  const net = payment.units - payment.fee
  const repaid = owed < net ? owed : net
  const legs = [
    ...takenInEntries(payment),
    entryOf(payment, 'merchant', net - repaid),
    entryOf(payment, 'receivable', repaid),
    entryOf(payment, 'fees', payment.fee),
  ]
  return { item: itemOf(payment, { kind: 'payment', id: payment.id }, legs, moment), owed: owed - repaid }
}

/** A payment that can't be attributed: the acquirer holds it, and it has no owner yet. */
export const suspendItem = (payment: Took & { id: string }, moment: Moment): Item =>
  itemOf(
    payment,
    { kind: 'payment', id: payment.id },
    [...takenInEntries(payment), entryOf(payment, 'suspense', payment.units)],
    moment,
  )

/** The operator decides that suspended money is the merchant's: what is owed is repaid first. */
export const acceptItem = (
  payment: AtAcquirer & { id: string; units: bigint; fee: bigint },
  owed: bigint,
  moment: Moment,
): { item: Item; owed: bigint } => {
  const net = payment.units - payment.fee
  const repaid = owed < net ? owed : net
  const legs = [
    entryOf(payment, 'suspense', -payment.units),
    entryOf(payment, 'merchant', net - repaid),
    entryOf(payment, 'receivable', repaid),
    entryOf(payment, 'fees', payment.fee),
  ]
  return { item: itemOf(payment, { kind: 'payment', id: payment.id }, legs, moment), owed: owed - repaid }
}

/**
 * The acquirer took a payment back (a chargeback): as much as is available, the rest is owed from now on. Our fee is
 * given back with it; what the acquirer kept stays a cost, as it keeps it.
 * @param units what is left of the payment after refunds; `fee` ours, 0 for money in suspense
 * @param from the account it was booked to, and what that has available
 */
export const takeBackItem = (
  payment: AtAcquirer & { id: string; units: bigint; fee: bigint },
  from: { account: 'merchant' | 'suspense'; available: bigint },
  moment: Moment,
): { item: Item; taken: bigint; short: bigint } => {
  const net = payment.units - payment.fee
  const taken = from.available < net ? from.available : net
  const short = net - taken
  const legs = [
    entryOf(payment, `acquirer:${payment.acquirer}`, payment.units),
    entryOf(payment, from.account, -taken),
    entryOf(payment, 'receivable', -short),
    entryOf(payment, 'fees', -payment.fee),
  ]
  return { item: itemOf(payment, { kind: 'payment', id: payment.id }, legs, moment), taken, short }
}

/** A disputed payment's money, as much of it as was there. */
export const holdDisputedItem = (payment: Payment, at: Date): Item => ({
  transfer: disputeTransfer(payment, 'hold', payment.disputeHoldId!, payment.disputeUnits!, at),
})

/** The dispute has ended: what was held is free again. */
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
  legs: [entryOf({ merchantId, acquirer, ticker: paidTicker! }, 'merchant', 0n, units)],
  at,
})

/** Money of a card payment that its merchant can't spend yet. */
export const cardHoldItem = (hold: CardHold, at: Date): Item => ({
  transfer: cardHoldTransfer(hold, 'hold', hold.id, hold.units, at),
})

export const cardReleaseItem = (hold: CardHold, { at, newId }: Moment): Item => ({
  transfer: { ...cardHoldTransfer(hold, 'release', newId(), -hold.units, at), closes: hold.id },
})

/** What a merchant owes is repaid from money that was held and is released. */
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
  legs: [entryOf({ merchantId, acquirer: '', ticker }, 'merchant', 0n, units)],
  at,
})

/** A refund's money, held while the acquirer is asked to give it back. */
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
    legs: [entryOf(refund, refund.from, 0n, refund.units)],
    at,
  },
})

/** The acquirer gave the money back: it holds less, and so does whose money it was. */
export const captureRefundItem = (refund: HeldRefund & { costUnits: bigint }, moment: Moment): Item =>
  itemOf(
    refund,
    { kind: 'refund', id: refund.id },
    [...paidOutEntries(refund), entryOf(refund, refund.from, -refund.units, -refund.units)],
    moment,
    refund.holdId,
  )

/** The acquirer will not give it back: the hold is free again. */
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
  legs: [AccountKind, bigint][],
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
      legs: tidyLegs(legs.map(([kind, posted]) => entryOf(owner, kind, posted))),
      at,
    },
  }
}

/** The owner put money into an account with an acquirer, for payouts: it is capital. Below 0: took it out. */
export const fundAcquirerItem = (money: PlatformMoney, moment: Moment): Item =>
  platformItem(
    money,
    [
      [`acquirer:${money.acquirer}`, -money.units],
      ['capital', money.units],
    ],
    moment,
  )

/** The acquirer sent money to our bank account (`units` above 0), or got some from there (below 0). */
export const settleItem = (money: PlatformMoney, moment: Moment): Item =>
  platformItem(
    money,
    [
      [`acquirer:${money.acquirer}`, money.units],
      [`settlement:${money.acquirer}`, -money.units],
    ],
    moment,
  )

/** What was under way from an acquirer is in the bank (`units` above 0), or left the bank for it (below 0). */
export const bankItem = (money: PlatformMoney, moment: Moment): Item =>
  platformItem(
    money,
    [
      [`settlement:${money.acquirer}`, money.units],
      ['bank', -money.units],
    ],
    moment,
  )

/** A fee of the account itself, of no one payment. */
export const accountFeeItem = (money: PlatformMoney, moment: Moment): Item =>
  platformItem(
    money,
    [
      [`acquirer:${money.acquirer}`, money.units],
      ['acquirer-costs', -money.units],
    ],
    moment,
  )

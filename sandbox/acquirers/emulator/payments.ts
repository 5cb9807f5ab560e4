/** The states of a payment: created, paid on the page, decided, reported, refunded. */
import { passesLuhn } from '../luhn.ts'
import { put, notify } from './context.ts'
import type { Context } from './context.ts'
import { pendingUnits, plainTelling } from './order.ts'
import type { Attempt, Kind, Order, Reason, RefundRow } from './order.ts'

export type NewOrder = Pick<
  Order,
  'kind' | 'reference' | 'currency' | 'description' | 'callbackUrl' | 'returnUrl' | 'expiresAt'
> & { readonly units: bigint }

export type Placed = { readonly order: Order } | { readonly refusal: 'duplicate' | 'limit' | 'currency' }

const mostWrongCodes = 3
const shortBy = 1_00n
const FIRST_NUMBER = 1_000_000_001
/** So many questions don't show a refund that is late. */
const QUESTIONS_LATE = 2

/** Finds an order. A reference is unique among payments and payouts together. */
export function findOrder(context: Context, reference: string, kind?: Kind): Order | undefined {
  const kinds: readonly Kind[] = kind === undefined ? ['payment', 'payout'] : [kind]
  const found = kinds.map((one) => context.orders.get(`${one} ${reference}`)).find((order) => order !== undefined)
  return found === undefined ? undefined : current(context, found)
}

export function placeOrder(context: Context, { units, ...rest }: NewOrder): Placed {
  if (rest.currency !== context.dialect.currency) return { refusal: 'currency' }
  if (units <= 0n || units > context.most[rest.kind]) return { refusal: 'limit' }
  if (findOrder(context, rest.reference) !== undefined) return { refusal: 'duplicate' }
  const order: Order = {
    ...rest,
    id: `${rest.kind} ${rest.reference}`,
    number: nextNumber(context),
    token: context.newToken(),
    units: units.toString(),
    createdAt: context.now(),
    status: 'created',
    refunded: '0',
    wrongCodes: 0,
  }
  return { order: put(context, order) }
}

/** One that was not paid in time has expired. */
function current(context: Context, order: Order): Order {
  const isOpen = order.kind === 'payment' && (order.status === 'created' || order.status === 'secure')
  if (!isOpen || order.expiresAt === undefined || context.now() <= order.expiresAt) return order
  return put(context, { ...order, status: 'expired', decidedAt: context.now() })
}

export function isCard(number: string): boolean {
  return /^\d{16}$/.test(number) && passesLuhn(number)
}

/** Returns whether the page accepts a card: the payment is new, or its card was refused and it has not expired. */
export function takesCard(context: Context, { kind, status, expiresAt }: Order): boolean {
  const isInTime = expiresAt === undefined || context.now() <= expiresAt
  return status === 'created' || (kind === 'payment' && status === 'refused' && isInTime)
}

/** Another card after a refused one is another payment under the same reference, with a number of its own. */
function again(context: Context, order: Order): Order {
  if (order.status === 'created') return order
  const { number, card, reason, decidedAt, ...rest } = order
  const attempt: Attempt = {
    number,
    ...(card && { card }),
    ...(reason && { reason }),
    ...(decidedAt !== undefined && { decidedAt }),
  }
  return {
    ...rest,
    number: nextNumber(context),
    status: 'created',
    wrongCodes: 0,
    before: [...(order.before ?? []), attempt],
  }
}

function nextNumber(context: Context): number {
  return context.orders.all().reduce((sum, { before = [] }) => sum + 1 + before.length, FIRST_NUMBER)
}

export function payByCard(context: Context, found: Order, number: string): Order {
  if (!takesCard(context, found)) return found
  const order = again(context, found)
  const known = context.dialect.cards.find((card) => card.number === number)
  const carded: Order = { ...order, card: { first: number.slice(0, 6), last: number.slice(-4) } }
  if (known?.refused !== undefined) return decide(context, carded, known.refused)
  return known?.secure ? put(context, { ...carded, status: 'secure' }) : decide(context, carded)
}

/** Too many wrong codes, or going away, refuse the payment. */
export function confirmSecure(context: Context, order: Order, code: string | undefined): Order {
  if (order.status !== 'secure') return order
  if (code === context.dialect.secureCode) return decide(context, order)
  const wrongCodes = order.wrongCodes + 1
  if (code === undefined || wrongCodes >= mostWrongCodes)
    return decide(context, { ...order, wrongCodes }, 'secure-failed')
  return put(context, { ...order, wrongCodes })
}

/** Decides the result of a charge or payout to a card: the one that a test set, else that of the card number. */
export function decide(context: Context, order: Order, refused?: Reason): Order {
  const isDecided = order.outcome !== undefined
  const { outcome, ...telling } = isDecided
    ? { ...plainTelling, ...order.telling, outcome: order.outcome }
    : context.faults.takeDecision(context.dialect.name)
  const { outcome: _, dueAt: _due, ...rest } = order
  const decided: Order = { ...rest, telling, decidedAt: context.now() }
  const reason = outcome === 'refused' || outcome === 'insufficient-funds' ? outcome : refused
  if (outcome === 'stuck') return put(context, { ...decided, status: 'processing' })
  if (reason !== undefined) return ended(context, { ...decided, status: 'refused', reason })
  const asked = BigInt(order.units)
  const moved = outcome === 'wrong-amount' ? asked - shortBy : asked
  const succeeded: Order = { ...decided, status: 'succeeded', moved: moved.toString(), fee: feeOf(moved).toString() }
  if (outcome !== 'reversed') return ended(context, succeeded)
  const dueAt = Date.now() + context.reverseMs
  context.arrange(order.id, dueAt)
  return ended(context, { ...succeeded, outcome, dueAt })
}

/** Two in a hundred, rounded up. */
function feeOf(units: bigint): bigint {
  return (units * 2n + 99n) / 100n
}

function ended(context: Context, order: Order): Order {
  put(context, order)
  notify(context, order)
  return order
}

/** Reverses the remaining amount, as a card's bank or a payout receiver's bank does. */
export function reverse(context: Context, order: Order): Order {
  if (order.status !== 'succeeded' || order.moved === undefined) return order
  const { dueAt: _, outcome: _outcome, ...rest } = order
  return ended(context, { ...rest, status: 'reversed', refunded: order.moved })
}

/**
 * Refunds a part or all, at once or as a test set. Returns undefined if the amount is larger than the remainder, or
 * nothing can be refunded. A repeated key returns the same refund.
 */
export function giveBack(context: Context, order: Order, units: bigint, key?: string): 'done' | 'pending' | undefined {
  const refunds = order.refunds ?? []
  const known = key === undefined ? undefined : refunds.find((one) => one.key === key)
  if (known !== undefined) return known.status === 'pending' ? 'pending' : 'done'
  if (order.status !== 'succeeded' || order.moved === undefined || units <= 0n) return undefined
  if (BigInt(order.refunded) + pendingUnits(order) + units > BigInt(order.moved)) return undefined
  const fault = context.faults.takeRefund(context.dialect.name)
  const row: RefundRow = { units: units.toString(), status: 'done', ...(key === undefined ? {} : { key }) }
  if (fault === 'pending' || fault === 'failed') {
    put(context, { ...order, refunds: [...refunds, { ...row, status: fault }] })
    return fault === 'pending' ? 'pending' : 'done'
  }
  refundNow(
    context,
    { ...order, refunds: [...refunds, { ...row, ...(fault === 'late' ? { hidden: QUESTIONS_LATE } : {}) }] },
    units,
  )
  return 'done'
}

/** Refunds an amount as a person does in the acquirer's console. Returns undefined as `giveBack` does. */
export function giveBackOutside(context: Context, order: Order, units: bigint): Order | undefined {
  if (
    order.status !== 'succeeded' ||
    order.moved === undefined ||
    units <= 0n ||
    BigInt(order.refunded) + pendingUnits(order) + units > BigInt(order.moved)
  )
    return undefined
  return refundNow(
    context,
    { ...order, refunds: [...(order.refunds ?? []), { units: units.toString(), status: 'done', isOutside: true }] },
    units,
  )
}

/** Completes accepted refunds: the payer gets all of the money. */
export function endRefunds(context: Context, order: Order): Order {
  const units = pendingUnits(order)
  const refunds = (order.refunds ?? []).map((one): RefundRow =>
    one.status === 'pending' ? { ...one, status: 'done' } : one,
  )
  return units === 0n ? order : refundNow(context, { ...order, refunds }, units)
}

function refundNow(context: Context, order: Order, units: bigint): Order {
  const refunded = BigInt(order.refunded) + units
  const after: Order = { ...order, refunded: refunded.toString() }
  return refunded === BigInt(order.moved!) ? ended(context, { ...after, status: 'reversed' }) : put(context, after)
}

/** Returns the order as a status query shows it: without refunds that are not visible yet. */
export function seen(context: Context, order: Order): Order {
  const refunds = order.refunds ?? []
  const hidden = refunds.filter((one) => (one.hidden ?? 0) > 0)
  if (hidden.length === 0) return order
  put(context, {
    ...order,
    refunds: refunds.map((one) => ((one.hidden ?? 0) > 0 ? { ...one, hidden: one.hidden! - 1 } : one)),
  })
  const units = hidden.reduce((sum, one) => sum + BigInt(one.units), 0n)
  return {
    ...order,
    status: 'succeeded',
    refunded: (BigInt(order.refunded) - units).toString(),
    refunds: refunds.filter((one) => !hidden.includes(one)),
  }
}

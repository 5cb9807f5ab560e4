/** A payment's life: made, paid on the page, decided, told, given back. */
import { passesLuhn } from '../luhn.ts'
import { put, tell } from './desk.ts'
import type { Desk } from './desk.ts'
import { plainTelling } from './order.ts'
import type { Kind, Order, Reason } from './order.ts'

export type NewOrder = Pick<Order, 'kind' | 'reference' | 'currency' | 'description' | 'callbackUrl' | 'returnUrl' | 'expiresAt'> & { readonly units: bigint }

export type Placed = { readonly order: Order } | { readonly refusal: 'duplicate' | 'limit' | 'currency' }

const mostWrongCodes = 3
const shortBy = 1_00n

/** A reference is unique among payments and payouts alike. */
export function findOrder(desk: Desk, reference: string, kind?: Kind): Order | undefined {
  const kinds: readonly Kind[] = kind === undefined ? ['payment', 'payout'] : [kind]
  const found = kinds.map((one) => desk.orders.get(`${one} ${reference}`)).find((order) => order !== undefined)
  return found === undefined ? undefined : current(desk, found)
}

export function placeOrder(desk: Desk, { units, ...rest }: NewOrder): Placed {
  if (rest.currency !== desk.dialect.currency) return { refusal: 'currency' }
  if (units <= 0n || units > desk.most[rest.kind]) return { refusal: 'limit' }
  if (findOrder(desk, rest.reference) !== undefined) return { refusal: 'duplicate' }
  const order: Order = {
    ...rest, id: `${rest.kind} ${rest.reference}`, number: 1_000_000_001 + desk.orders.all().length, token: desk.newToken(), units: units.toString(),
    createdAt: desk.now(), status: 'created', refunded: '0', wrongCodes: 0,
  }
  return { order: put(desk, order) }
}

/** One that nobody paid in time has expired. */
function current(desk: Desk, order: Order): Order {
  const isOpen = order.kind === 'payment' && (order.status === 'created' || order.status === 'secure')
  if (!isOpen || order.expiresAt === undefined || desk.now() <= order.expiresAt) return order
  return put(desk, { ...order, status: 'expired', decidedAt: desk.now() })
}

export function isCard(number: string): boolean {
  return /^\d{16}$/.test(number) && passesLuhn(number)
}

export function payByCard(desk: Desk, order: Order, number: string): Order {
  if (order.status !== 'created') return order
  const known = desk.dialect.cards.find((card) => card.number === number)
  const carded: Order = { ...order, card: { first: number.slice(0, 6), last: number.slice(-4) } }
  if (known?.refused !== undefined) return decide(desk, carded, known.refused)
  return known?.secure ? put(desk, { ...carded, status: 'secure' }) : decide(desk, carded)
}

/** Too many wrong codes, or going away, refuse the payment. */
export function confirmSecure(desk: Desk, order: Order, code: string | undefined): Order {
  if (order.status !== 'secure') return order
  if (code === desk.dialect.secureCode) return decide(desk, order)
  const wrongCodes = order.wrongCodes + 1
  if (code === undefined || wrongCodes >= mostWrongCodes) return decide(desk, { ...order, wrongCodes }, 'secure-failed')
  return put(desk, { ...order, wrongCodes })
}

/** What becomes of a card that is charged, or that money is sent to: what a tester said, else what its number says. */
export function decide(desk: Desk, order: Order, refused?: Reason): Order {
  const isDecided = order.outcome !== undefined
  const { outcome, ...telling } = isDecided ? { ...plainTelling, ...order.telling, outcome: order.outcome } : desk.faults.takeDecision(desk.dialect.name)
  const { outcome: _, dueAt: _due, ...rest } = order
  const decided: Order = { ...rest, telling, decidedAt: desk.now() }
  const reason = outcome === 'refused' || outcome === 'insufficient-funds' ? outcome : refused
  if (outcome === 'stuck') return put(desk, { ...decided, status: 'processing' })
  if (reason !== undefined) return ended(desk, { ...decided, status: 'refused', reason })
  const asked = BigInt(order.units)
  const moved = outcome === 'wrong-amount' ? asked - shortBy : asked
  const succeeded: Order = { ...decided, status: 'succeeded', moved: moved.toString(), fee: feeOf(moved).toString() }
  if (outcome !== 'reversed') return ended(desk, succeeded)
  const dueAt = Date.now() + desk.reverseMs
  desk.arrange(order.id, dueAt)
  return ended(desk, { ...succeeded, outcome, dueAt })
}

/** Two in a hundred, rounded up. */
function feeOf(units: bigint): bigint {
  return (units * 2n + 99n) / 100n
}

function ended(desk: Desk, order: Order): Order {
  put(desk, order)
  tell(desk, order)
  return order
}

/** Takes back what is left, as a card's bank does on its owner's word, and a payout's receiver's bank. */
export function reverse(desk: Desk, order: Order): Order {
  if (order.status !== 'succeeded' || order.moved === undefined) return order
  const { dueAt: _, outcome: _outcome, ...rest } = order
  return ended(desk, { ...rest, status: 'reversed', refunded: order.moved })
}

/** Gives back a part or all, at once or once it is told to. Undefined: more than is left, or there is nothing to give back. */
export function giveBack(desk: Desk, order: Order, units: bigint, key?: string): 'done' | 'pending' | undefined {
  const pending = order.pendingRefunds ?? []
  if (key !== undefined && order.refundKeys?.includes(key)) return pending.length > 0 ? 'pending' : 'done'
  if (order.status !== 'succeeded' || order.moved === undefined || units <= 0n) return undefined
  const taken = pending.reduce((sum, one) => sum + BigInt(one), BigInt(order.refunded) + units)
  if (taken > BigInt(order.moved)) return undefined
  const keyed: Order = { ...order, ...(key === undefined ? {} : { refundKeys: [...(order.refundKeys ?? []), key] }) }
  if (desk.faults.takeRefund(desk.dialect.name) === 'pending') {
    put(desk, { ...keyed, pendingRefunds: [...pending, units.toString()] })
    return 'pending'
  }
  refundNow(desk, keyed, units)
  return 'done'
}

/** Ends what was taken up of refunds: the payer gets all of it. */
export function endRefunds(desk: Desk, order: Order): Order {
  const { pendingRefunds = [], ...rest } = order
  return pendingRefunds.length === 0 ? order : refundNow(desk, rest, pendingRefunds.reduce((sum, one) => sum + BigInt(one), 0n))
}

function refundNow(desk: Desk, order: Order, units: bigint): Order {
  const refunded = BigInt(order.refunded) + units
  const after: Order = { ...order, refunded: refunded.toString() }
  return refunded === BigInt(order.moved!) ? ended(desk, { ...after, status: 'reversed' }) : put(desk, after)
}

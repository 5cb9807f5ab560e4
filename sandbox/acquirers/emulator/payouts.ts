/** A payout's life: sent at once or a little later, refused, stuck, or coming back. */
import { put } from './desk.ts'
import type { Desk } from './desk.ts'
import { plainTelling } from './order.ts'
import type { Order } from './order.ts'
import { decide, isCard, placeOrder, reverse } from './payments.ts'
import type { NewOrder, Placed } from './payments.ts'

/** The card number is not kept. */
export function placePayout(
  desk: Desk,
  order: Omit<NewOrder, 'kind' | 'returnUrl'>,
  number: string,
): Placed | { refusal: 'card' } {
  if (!isCard(number)) return { refusal: 'card' }
  const placed = placeOrder(desk, { ...order, kind: 'payout', returnUrl: '' })
  if ('refusal' in placed) return placed
  const refused = desk.dialect.cards.find((card) => card.number === number)?.refused
  const { outcome = refused === undefined ? 'success' : 'refused', ...telling } = desk.faults.takeDecision(
    desk.dialect.name,
  )
  const processing: Order = {
    ...placed.order,
    card: { first: number.slice(0, 6), last: number.slice(-4) },
    status: 'processing',
    telling,
  }
  if (outcome === 'stuck') return { order: put(desk, processing) }
  if (desk.payoutMs === 0) return { order: decide(desk, { ...processing, outcome }) }
  const dueAt = Date.now() + desk.payoutMs
  put(desk, { ...processing, outcome, dueAt })
  desk.arrange(processing.id, dueAt)
  return { order: processing }
}

/** What was due happens: a payout under way ends, what was to come back does. */
export function wake(desk: Desk, id: string): void {
  const order = desk.orders.get(id)
  if (order === undefined) return
  if (order.status === 'succeeded' && order.outcome === 'reversed') reverse(desk, order)
  else if (order.status === 'processing') decide(desk, order)
}

/** Ends what is stuck: a tester's hand. */
export function release(desk: Desk, order: Order): Order {
  return order.status === 'processing'
    ? decide(desk, { ...order, outcome: 'success', telling: order.telling ?? plainTelling })
    : order
}

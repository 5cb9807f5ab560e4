/** The states of a payout: sent at once or later, refused, stuck, or returned. */
import { put } from './context.ts'
import type { Context } from './context.ts'
import { plainTelling } from './order.ts'
import type { Order } from './order.ts'
import { decide, isCard, placeOrder, reverse } from './payments.ts'
import type { NewOrder, Placed } from './payments.ts'

/** Places a payout. The card number is not stored. */
export function placePayout(
  context: Context,
  order: Omit<NewOrder, 'kind' | 'returnUrl'>,
  number: string,
): Placed | { refusal: 'card' } {
  if (!isCard(number)) return { refusal: 'card' }
  const placed = placeOrder(context, { ...order, kind: 'payout', returnUrl: '' })
  if ('refusal' in placed) return placed
  const refused = context.dialect.cards.find((card) => card.number === number)?.refused
  const { outcome = refused === undefined ? 'success' : 'refused', ...telling } = context.faults.takeDecision(
    context.dialect.name,
  )
  const processing: Order = {
    ...placed.order,
    card: { first: number.slice(0, 6), last: number.slice(-4) },
    status: 'processing',
    telling,
  }
  if (outcome === 'stuck') return { order: put(context, processing) }
  if (context.payoutMs === 0) return { order: decide(context, { ...processing, outcome }) }
  const dueAt = Date.now() + context.payoutMs
  put(context, { ...processing, outcome, dueAt })
  context.arrange(processing.id, dueAt)
  return { order: processing }
}

/** Applies due changes: a payout in processing ends, or a sent one is returned. */
export function wake(context: Context, id: string): void {
  const order = context.orders.get(id)
  if (order === undefined) return
  if (order.status === 'succeeded' && order.outcome === 'reversed') reverse(context, order)
  else if (order.status === 'processing') decide(context, order)
}

/** Ends a stuck payout, for tests. */
export function release(context: Context, order: Order): Order {
  return order.status === 'processing'
    ? decide(context, { ...order, outcome: 'success', telling: order.telling ?? plainTelling })
    : order
}

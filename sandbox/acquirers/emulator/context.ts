/** The context that all parts of an emulator share: its books, its clock, the faults that a test set. */
import type { Deliveries, Message } from '../deliveries.ts'
import type { Faults } from '../faults.ts'
import type { Records } from '../records.ts'
import type { Order, Reason } from './order.ts'

/** A card number with a special result. Every other number that passes the Luhn check succeeds. */
export interface TestCard {
  readonly number: string
  readonly refused?: Reason
  /** asks for the code */
  readonly secure?: true
  readonly about: string
}

/** The dialect of one acquirer. */
export interface Dialect {
  /** for messages and pages */
  readonly name: string
  readonly currency: 'UAH' | 'KZT'
  readonly cards: readonly TestCard[]
  /** of the 3-D Secure page */
  readonly secureCode: string
  /** pauses between attempts to notify, ms of the acquirer's clock */
  readonly pauses: readonly number[]
  /** Tells the merchant how an order stands. */
  message(order: Order): Message
  /** The same with a signature that is not the acquirer's. */
  spoil(message: Message): Message
  isAcknowledged(status: number, body: string): boolean
  /** How the payer is sent back to the shop: a link, or a form that is posted. */
  wayBack(order: Order): { readonly url: string; readonly fields?: Readonly<Record<string, string>> }
}

export interface Context {
  readonly dialect: Dialect
  readonly orders: Records<Order>
  readonly faults: Faults
  readonly deliveries: Deliveries
  readonly most: { readonly payment: bigint; readonly payout: bigint }
  /** where its pages are */
  url(): string
  now(): number
  newToken(): string
  /** ms of the real clock: how long a payout is under way, a reversed payment stays paid */
  readonly payoutMs: number
  readonly reverseMs: number
  arrange(id: string, dueAt: number): void
}

export function put(context: Context, order: Order): Order {
  context.orders.put(order)
  return order
}

/** Messages can only come in the wrong order where one came before the end. */
export function notify(context: Context, order: Order): void {
  const telling = order.telling
  if (order.callbackUrl === '' || telling === undefined) return
  const before: Order[] = telling.reorder ? [{ ...order, status: 'processing' }] : []
  context.deliveries.send(
    order.id,
    [...before, order].map((one) => context.dialect.message(one)),
    telling,
    (message) => context.dialect.spoil(message),
  )
}

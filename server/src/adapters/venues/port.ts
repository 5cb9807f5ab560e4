import type { Market } from '../rates/port.ts'
import type { Limited } from '../rests.ts'

/**
 * A venue on which the platform hedges. Amounts in 1e-18 of the base, prices in 1e-18 of the quote asset per base.
 * Guarantees:
 * - an unknown outcome is never reported as a refusal;
 * - each call places an order at most once: no adapter retries by itself.
 */
export interface Venue {
  readonly name: string
  /** Markets that orders can be placed on now. @throws VenueUnreachable */
  markets(): Promise<VenueMarket[]>
  /** Returns the balances of our account. @throws VenueUnreachable */
  balances(): Promise<VenueBalance[]>
  /**
   * Places a limit order that fills immediately as far as possible, with the rest cancelled. Must not be repeated for
   * an order: venues accept a client id again when the first order with it has ended.
   * @throws VenueUnreachable when it is unknown whether the order was accepted
   */
  place(order: VenueOrder): Promise<Placed>
  /** State of an order with all its fills, queried by its client id. @throws VenueUnreachable */
  find(order: OrderKey): Promise<Found>
  /** Cancels the rest of an order. Query the order to see whether this succeeded. @throws VenueUnreachable */
  cancel(order: OrderKey): Promise<void>
  close(): Promise<void>
}

/** Rules for orders of a market. */
export interface VenueMarket extends Market {
  amountStep: bigint
  priceStep: bigint
  leastAmount: bigint
  /** amount x price */
  leastNotional: bigint
  /** maximum amount of one order; undefined: no limit */
  mostAmount?: bigint | undefined
  /** maximum holding of the base that the account may have including a buy order; undefined: no limit */
  mostPosition?: bigint | undefined
}

export interface VenueBalance {
  asset: string
  /** including amounts reserved by orders */
  total: bigint
  free: bigint
}

export interface OrderKey {
  /** our id, at most 32 letters and digits */
  clientId: string
  market: Market
}

export interface VenueOrder extends OrderKey {
  side: 'buy' | 'sell'
  amount: bigint
  price: bigint
  /** time of the decision, ms of the real clock; sent as the request's time */
  placedAt: number
  /** period after that time in which the venue accepts the order, ms; the venue itself refuses a later arrival */
  validMs: number
}

export type Placed =
  | { kind: 'taken' }
  /** proven: the venue reports that it did not accept the order, and why */
  | { kind: 'refused'; reason: string }

export type Found =
  /** `executed` is the traded amount by the venue; its fills may lag behind for a moment */
  | { kind: 'known'; open: boolean; executed: bigint; fills: VenueFill[] }
  /** no order with this client id exists at this time of the venue's clock, ms */
  | { kind: 'absent'; venueTime: number }

export interface VenueFill {
  /** unique in its market */
  tradeId: string
  amount: bigint
  price: bigint
  /** amount of the quote asset that was exchanged */
  cost: bigint
  fee: { asset: string; amount: bigint } | null
  /** ms */
  at: number
}

/** There is no usable answer: the request may have taken effect. */
export class VenueUnreachable extends Error {
  override name = 'VenueUnreachable'
  /** set when the venue reported too many requests */
  readonly limited: Limited | undefined

  constructor(message: string, limited?: Limited) {
    super(message)
    this.limited = limited
  }
}

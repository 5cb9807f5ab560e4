import type { Market } from '../rates/port.ts'
import type { Limited } from '../rests.ts'

/**
 * A venue that the platform hedges on. Amounts and prices in 1e-18: of the base, and of the quote for one base.
 * Promises that what is not known is never called a refusal, and that an order is placed at most once for each call: no
 * adapter tries again by itself.
 */
export interface Venue {
  readonly name: string
  /** Markets that orders can be placed on now. @throws VenueUnreachable */
  markets(): Promise<VenueMarket[]>
  /** What our account holds. @throws VenueUnreachable */
  balances(): Promise<VenueBalance[]>
  /**
   * Places a limit order that fills at once as far as it can and is cancelled for the rest. Must not be called again
   * for an order: venues take a client id anew when the first order under it has ended.
   * @throws VenueUnreachable when it is not known whether it was taken
   */
  place(order: VenueOrder): Promise<Placed>
  /** What became of an order, asked for by its client id, with all its fills. @throws VenueUnreachable */
  find(order: OrderKey): Promise<Found>
  /** Cancels what is left of an order; whether it worked is found by asking. @throws VenueUnreachable */
  cancel(order: OrderKey): Promise<void>
  close(): Promise<void>
}

/** What orders of a market must keep to. */
export interface VenueMarket extends Market {
  amountStep: bigint
  priceStep: bigint
  leastAmount: bigint
  /** amount x price */
  leastNotional: bigint
  /** of one order; undefined: no bound */
  mostAmount?: bigint | undefined
  /** how much of the base the account may hold with an order to buy; undefined: no bound */
  mostPosition?: bigint | undefined
}

export interface VenueBalance {
  asset: string
  /** what orders hold included */
  total: bigint
  free: bigint
}

export interface OrderKey {
  /** ours, at most 32 letters and digits */
  clientId: string
  market: Market
}

export interface VenueOrder extends OrderKey {
  side: 'buy' | 'sell'
  amount: bigint
  price: bigint
  /** when it was decided, ms of the real clock: it is sent as the request's time */
  placedAt: number
  /** how long after that the venue may take it, ms: what arrives later is refused by the venue itself */
  validMs: number
}

export type Placed =
  | { kind: 'taken' }
  /** proven: the venue says that it has not taken it, and why */
  | { kind: 'refused'; reason: string }

export type Found =
  /** `executed` is what the venue says has traded; its fills may be fewer for a moment */
  | { kind: 'known'; open: boolean; executed: bigint; fills: VenueFill[] }
  /** there is none under this client id at this time of the venue's own clock, ms */
  | { kind: 'absent'; venueTime: number }

export interface VenueFill {
  /** unique in its market */
  tradeId: string
  amount: bigint
  price: bigint
  /** of the quote: what changed hands */
  cost: bigint
  fee: { asset: string; amount: bigint } | null
  /** ms */
  at: number
}

/** No answer, or none that says anything: what was asked for may have happened. */
export class VenueUnreachable extends Error {
  override name = 'VenueUnreachable'
  /** the venue said that it is asked too often */
  readonly limited: Limited | undefined

  constructor(message: string, limited?: Limited) {
    super(message)
    this.limited = limited
  }
}

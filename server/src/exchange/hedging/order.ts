import type { HedgeState } from './machine.ts'

/** An order on a venue. Amounts and prices in 1e-18, of the base and of the quote for one base. */
export interface HedgeOrder {
  id: string
  venue: string
  /** what is hedged; the other of the market is USDT */
  asset: string
  base: string
  quote: string
  side: 'buy' | 'sell'
  amount: bigint
  /** the limit */
  price: bigint
  /** of our own sources when it was decided */
  middle: bigint
  /** the asset it spends, and what is left of its reservation, ledger units */
  spends: string
  reserved: bigint
  executed: bigint
  state: HedgeState
  reason: string | null
  /** ms of real time between which the venue may take it */
  placedAt: Date
  validMs: number
  asks: number
  createdAt: Date
  updatedAt: Date
}

/** What the venue knows it by. */
export const clientIdOf = ({ id }: Pick<HedgeOrder, 'id'>): string => id.replaceAll('-', '')

export const keyOf = (order: Pick<HedgeOrder, 'id' | 'base' | 'quote'>) => ({
  clientId: clientIdOf(order),
  market: { base: order.base, quote: order.quote },
})

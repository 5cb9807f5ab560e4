import type { HedgeState } from './machine.ts'

/** An order on a venue. Amounts are in 1e-18 of the base, prices in 1e-18 of the quote for one base. */
export interface HedgeOrder {
  id: string
  venue: string
  /** the hedged asset; the market's other asset is USDT */
  asset: string
  base: string
  quote: string
  side: 'buy' | 'sell'
  amount: bigint
  /** the limit price */
  price: bigint
  /** of our own sources at the time of the decision */
  middle: bigint
  /** the asset it spends, and the rest of its reservation in ledger units */
  spends: string
  reserved: bigint
  executed: bigint
  state: HedgeState
  reason: string | null
  /** ms of real time: the window in which the venue may accept it */
  placedAt: Date
  validMs: number
  asks: number
  createdAt: Date
  updatedAt: Date
}

/** The order's client id at the venue. */
export const clientIdOf = ({ id }: Pick<HedgeOrder, 'id'>): string => id.replaceAll('-', '')

export const keyOf = (order: Pick<HedgeOrder, 'id' | 'base' | 'quote'>) => ({
  clientId: clientIdOf(order),
  market: { base: order.base, quote: order.quote },
})

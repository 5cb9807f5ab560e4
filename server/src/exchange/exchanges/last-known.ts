import { E18, marketOf, type UsdtMarket, type UsdtMarkets } from '../../market/rates/index.ts'

/** The price of a market that has been closed for longer is useless. */
const OLDEST_MS = 24 * 3_600_000
/** Enough for every minimum amount. */
const DEPTH = 10n ** 12n * E18

/**
 * Returns markets for display only, not for filling orders: a closed market has its last valid price.
 * @param now real time, ms
 * @returns the markets, and for each closed one the time of its price, ms
 */
export const lastKnownMarkets = (
  { open, closed, last = new Map() }: UsdtMarkets,
  now: number,
): { usdtMarkets: UsdtMarkets; at: ReadonlyMap<string, number> } => {
  const known = [...last].filter(([ticker, { at }]) => !open.has(ticker) && at.getTime() >= now - OLDEST_MS)
  const usdtMarkets = known.map(
    ([ticker, { middle, at }]) => [ticker, { ...marketAt(ticker, middle, at), middle, observedAt: at }] as const,
  )
  return {
    usdtMarkets: { open: new Map([...open, ...usdtMarkets]), closed },
    at: new Map(known.map(([ticker, { at }]) => [ticker, at.getTime()])),
  }
}

const marketAt = (ticker: string, middle: bigint, at: Date): UsdtMarket => {
  const level = { price: middle, amount: DEPTH }
  return {
    ticker,
    quorum: 1,
    books: [{ ...marketOf(ticker), source: 'last known', observedAt: at.getTime(), bids: [level], asks: [level] }],
  }
}

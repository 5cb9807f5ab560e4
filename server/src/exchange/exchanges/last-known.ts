import { E18, marketOf, type Leg, type Legs } from '../../market/rates/index.ts'

/** The price of a market that has been closed for longer is useless. */
const OLDEST_MS = 24 * 3_600_000
/** Enough for every minimum amount. */
const DEPTH = 10n ** 12n * E18

/**
 * Returns legs for display only, not for filling orders: a closed leg has its last valid price. @param now real time,
 * ms
 * @returns the legs, and for each closed one the time of its price, ms
 */
export const lastKnownLegs = (
  { open, closed, last = new Map() }: Legs,
  now: number,
): { legs: Legs; at: ReadonlyMap<string, number> } => {
  const known = [...last].filter(([ticker, { at }]) => !open.has(ticker) && at.getTime() >= now - OLDEST_MS)
  const legs = known.map(
    ([ticker, { middle, at }]) => [ticker, { ...legAt(ticker, middle, at), middle, observedAt: at }] as const,
  )
  return {
    legs: { open: new Map([...open, ...legs]), closed },
    at: new Map(known.map(([ticker, { at }]) => [ticker, at.getTime()])),
  }
}

const legAt = (ticker: string, middle: bigint, at: Date): Leg => {
  const level = { price: middle, amount: DEPTH }
  return {
    ticker,
    quorum: 1,
    books: [{ ...marketOf(ticker), source: 'last known', observedAt: at.getTime(), bids: [level], asks: [level] }],
  }
}

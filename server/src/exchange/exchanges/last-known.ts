import { E18, marketOf, type Leg, type Legs } from '../../market/rates/index.ts'

/** A market that has been closed for longer has no price that anybody could use. */
const OLDEST_MS = 24 * 3_600_000
/** Enough for every least amount. */
const DEPTH = 10n ** 12n * E18

/**
 * Legs that show what is exchanged, not what can be filled: a closed one is as it was believed last. @param now real
 * time, ms
 * @returns them, and of each that is closed when its price was, ms
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

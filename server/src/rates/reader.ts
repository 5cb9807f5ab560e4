import type { Db } from '../db/index.ts'
import { freshPrices } from './queries.ts'

/** One reading serves every request for this long, so that a request costs no query. */
const KEPT_MS = 500

/** Fresh prices as of at most half a second ago. Concurrent callers share one reading. */
export const createPriceReader = (
  db: Db,
  tickers: readonly string[],
  now: () => number,
): (() => Promise<ReadonlyMap<string, bigint>>) => {
  let kept: { at: number; prices: Promise<ReadonlyMap<string, bigint>> } | undefined
  return () => {
    const at = now()
    if (kept === undefined || at - kept.at > KEPT_MS) {
      const prices = freshPrices(db, tickers, new Date(at))
      kept = { at, prices }
      prices.catch(() => {
        kept = undefined
      })
    }
    return kept.prices
  }
}

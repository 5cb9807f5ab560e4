import { cacheFor } from '../../platform/base/cache.ts'
import type { Db } from '../../platform/db/index.ts'
import { freshPrices } from './queries.ts'

const CACHED_MS = 500

/** Reads fresh prices, from a cache of at most half a second. */
export const createPriceReader = (
  db: Db,
  tickers: readonly string[],
  now: () => number,
): (() => Promise<ReadonlyMap<string, bigint>>) =>
  cacheFor(CACHED_MS, now, (at) => freshPrices(db, tickers, new Date(at)))

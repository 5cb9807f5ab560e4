import { cacheFor } from '../../platform/base/cache.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/** A price older than this is not used. */
export const LONGEST_AGE_MS = 10 * 60_000

/**
 * Prices in 1e-18 USD for one whole unit, by ticker. A ticker without a fresh price is absent: the caller must then
 * apply the strictest rule or refuse.
 * @param now real time: prices age independently of the business clock
 */
export const freshPrices = async (db: Db | Tx, tickers: readonly string[], now: Date): Promise<Map<string, bigint>> => {
  const { rows } = await sql<{ ticker: string; usd: bigint }>`select ticker, usd_e18 as usd from rates
    where ticker = any(${[...tickers]}::text[]) and observed_at > ${new Date(now.getTime() - LONGEST_AGE_MS)}`.execute(
    db,
  )
  return new Map(rows.map((row) => [row.ticker, row.usd]))
}

export interface StoredPrice {
  ticker: string
  usd: bigint
  source: string
  observedAt: Date
}

/** All stored prices, stale ones too. */
export const listPrices = async (db: Db): Promise<StoredPrice[]> => {
  const { rows } = await sql<StoredPrice>`select ticker, usd_e18 as usd, source, observed_at as "observedAt"
    from rates order by ticker`.execute(db)
  return rows
}

const CACHED_MS = 500

/** Reads fresh prices, from a cache of at most half a second. */
export const createPriceReader = (
  db: Db,
  tickers: readonly string[],
  now: () => number,
): (() => Promise<ReadonlyMap<string, bigint>>) =>
  cacheFor(CACHED_MS, now, (at) => freshPrices(db, tickers, new Date(at)))

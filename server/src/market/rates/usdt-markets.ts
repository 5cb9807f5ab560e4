import { cacheFor } from '../../platform/base/cache.ts'
import type { Db } from '../../platform/db/index.ts'
import type { UsdtMarket } from './usdt-market.ts'
import { listUsdtMarkets } from './usdt-market-store.ts'

/** The open markets, and the reasons why the others are closed. */
export interface UsdtMarkets {
  open: ReadonlyMap<string, UsdtMarket & { observedAt: Date; middle: bigint }>
  closed: ReadonlyMap<string, string>
  /** last accepted middle of each market, open or closed, 1e-18, and its time; a market without one is absent */
  last?: ReadonlyMap<string, { middle: bigint; at: Date }>
}

/** A market that was last read longer ago is closed. In real time: prices age independently of the business clock. */
const MARKET_OLDEST_MS = 20_000

/** Whether prices from a market that was read at this time are no longer used. Both are ms of real time. */
export const isTooOld = (observedAt: number, now: number): boolean => observedAt < now - MARKET_OLDEST_MS

export const readUsdtMarkets = async (db: Db, now: number): Promise<UsdtMarkets> => {
  const open = new Map<string, UsdtMarket & { observedAt: Date; middle: bigint }>()
  const closed = new Map<string, string>()
  const last = new Map<string, { middle: bigint; at: Date }>()
  for (const market of await listUsdtMarkets(db)) {
    const { ticker, closedBecause, believed, believedAt, observedAt } = market
    if (believed !== null && believedAt !== null) last.set(ticker, { middle: believed, at: believedAt })
    if (closedBecause !== null || believed === null) closed.set(ticker, closedBecause ?? 'never believed yet')
    else if (isTooOld(observedAt.getTime(), now)) closed.set(ticker, `last read at ${observedAt.toISOString()}`)
    else open.set(ticker, { ...market, observedAt, middle: believed })
  }
  return { open, closed, last }
}

const CACHED_MS = 500

/** Reads the markets, from a cache of at most half a second. */
export const createUsdtMarketsReader = (db: Db, now: () => number): (() => Promise<UsdtMarkets>) =>
  cacheFor(CACHED_MS, now, (at) => readUsdtMarkets(db, at))

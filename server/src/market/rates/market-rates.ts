import type { Quote, RateSource } from '../../adapters/rates/port.ts'
import type { Db } from '../../platform/db/index.ts'
import { formatUnits, mulDiv } from '../../platform/money/index.ts'
import { E18 } from './ladder.ts'
import { PIVOT } from './usdt-market.ts'
import { readUsdtMarkets, type UsdtMarkets } from './usdt-markets.ts'
import { marketOf } from './markets.ts'

const DOLLAR = 'USD'

/**
 * Creates a source of USD prices from order books that agree, so that deposits and balances are valued at the prices of
 * venues. The price of USDT is that of its USD market, or one dollar when no source has such a market.
 */
export const createMarketRates = (db: Db, now: () => number): RateSource => ({
  name: 'books',
  agreed: true,
  quotes: async (tickers) => {
    const usdtMarkets = await readUsdtMarkets(db, now())
    const pivot = dollarsOf(usdtMarkets)
    return pivot === undefined ? [] : tickers.flatMap((ticker) => quoteOf(ticker, usdtMarkets, pivot))
  },
})

/** The price of one USDT in dollars, 1e-18, and its time; undefined while that market is closed. */
const dollarsOf = ({ open, closed }: UsdtMarkets): { price: bigint; at: number } | undefined => {
  const market = open.get(DOLLAR)
  if (market) return { price: market.middle, at: market.observedAt.getTime() }
  return closed.has(DOLLAR) ? undefined : { price: E18, at: Number.MAX_SAFE_INTEGER }
}

const quoteOf = (ticker: string, { open }: UsdtMarkets, pivot: { price: bigint; at: number }): Quote[] => {
  const market = open.get(ticker)
  if (ticker === PIVOT) {
    const newest = Math.max(0, ...[...open.values()].map(({ observedAt }) => observedAt.getTime()))
    return newest === 0 ? [] : [written(ticker, pivot.price, Math.min(newest, pivot.at))]
  }
  if (!market) return []
  const usd =
    marketOf(ticker).base === ticker
      ? mulDiv(market.middle, pivot.price, E18, 'half-even')
      : mulDiv(pivot.price, E18, market.middle, 'half-even')
  return [written(ticker, usd, Math.min(market.observedAt.getTime(), pivot.at))]
}

const written = (ticker: string, usd: bigint, observedAt: number): Quote => ({
  ticker,
  usd: formatUnits(usd, 18),
  observedAt,
})

import type { WorkerDeps, World } from './world.ts'
import type { Job } from '../../platform/jobs/index.ts'
import {
  createBooksJob,
  createMarketRates,
  createOfficialRatesJob,
  createRatesJob,
  marketOf,
  PIVOT,
} from '../../market/rates/index.ts'

const RATES_EVERY_MS = 15_000
const BOOKS_EVERY_MS = 3_000
const OFFICIAL_EVERY_MS = 30 * 60_000

/** Currencies in which a price may be stated although the platform does not hold them (`contract.md` 5.14). */
const PRICED_IN = ['USD', 'EUR']

/** Composes the jobs that keep prices up to date. */
export const priceJobs = ({ runtime }: World, { sources, market }: WorkerDeps, tickers: readonly string[]): Job[] => {
  const all = [...new Set([...tickers, ...PRICED_IN])]
  const served = all.filter(
    (ticker) => ticker !== PIVOT && market.books.some((source) => source.serves(marketOf(ticker))),
  )
  return [
    ...(market.official.length === 0
      ? []
      : [createOfficialRatesJob({ runtime, sources: market.official, everyMs: OFFICIAL_EVERY_MS })]),
    ...(served.length === 0
      ? []
      : [
          createBooksJob({
            runtime,
            sources: market.books,
            tickers: served,
            rules: market.rules,
            everyMs: BOOKS_EVERY_MS,
          }),
        ]),
    createRatesJob({
      runtime,
      sources: served.length === 0 ? sources : [...sources, createMarketRates(runtime.db, runtime.clock.now)],
      tickers: all,
      rules: market.rules,
      everyMs: RATES_EVERY_MS,
    }),
  ]
}

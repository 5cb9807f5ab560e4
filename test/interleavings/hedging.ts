/** A venue on which the position is traded away, with an order of which the outcome is unknown. */
import { inTransaction } from '../../server/src/platform/db/index.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'
import {
  createHedgeAskingJob,
  createHedgeJob,
  fundVenue,
  hedgePolicyOf,
  type HedgeDeps,
} from '../../server/src/exchange/hedging/index.ts'
import { createQuoteStore, exchangeRoutes, readExchangePolicy } from '../../server/src/exchange/exchanges/index.ts'
import { createStopsReader } from '../../server/src/ledger/stops/index.ts'
import { E18 } from '../world/deposits.ts'
import { giveMoney } from '../world/ledger.ts'
import { callRoute } from '../world/requests.ts'
import { createTestVenue, type TestVenue } from '../world/venue.ts'
import { catalogue, marketsNow, ONE_USDT, PRICES } from './assets.ts'

const { signal } = new AbortController()

/** Balances on the venue in 1e-18, and the same in ledger units. */
const FUNDS = [
  ['USDT', 1_000_000n * E18, 1_000_000n * ONE_USDT],
  ['ETH', 1_000n * E18, 1_000n * E18],
  ['BTC', 20n * E18, 20n * 10n ** 8n],
] as const

export const createVenue = (now: () => number): TestVenue => {
  const venue = createTestVenue(now)
  for (const ticker of ['ETH', 'BTC'] as const) venue.prices.set(`${ticker}/USDT`, PRICES[ticker])
  return venue
}

const depsOf = ({ runtime }: { runtime: Runtime }, venue: TestVenue): HedgeDeps => ({
  runtime,
  catalogue,
  venue,
  policy: hedgePolicyOf({}),
  usdtMarkets: marketsNow(runtime.clock.now()),
  pause: async () => {},
})

/** Places orders for the exposure that is not hedged. */
export const hedge = async (process: { runtime: Runtime }, venue: TestVenue): Promise<void> => {
  await createHedgeJob(depsOf(process, venue), 1).run(signal)
}

/** Asks the venue about orders that have not ended. */
export const askVenue = async (process: { runtime: Runtime }, venue: TestVenue): Promise<void> => {
  await createHedgeAskingJob(depsOf(process, venue), 1).run(signal)
}

/** Merchants have sold BTC, whose hedge was placed and not answered, and ETH, which is not hedged yet. */
export const makePosition = async (runtime: Runtime, venue: TestVenue, merchantId: string): Promise<void> => {
  for (const [asset, held, units] of FUNDS) {
    venue.held.set(asset, held)
    await inTransaction(runtime.db, (tx) => fundVenue(tx, venue.name, asset, units, momentOf(runtime)))
  }
  const sell = async (spendTicker: 'ETH' | 'BTC', amount: string, units: bigint): Promise<void> => {
    await giveMoney(runtime, { merchantId, asset: spendTicker }, units)
    const now = runtime.clock.now()
    const routes = exchangeRoutes({
      runtime,
      policy: readExchangePolicy(catalogue, { spreadBps: 40, feeBps: 50 }),
      quoteStore: createQuoteStore(runtime),
      usdtMarkets: marketsNow(now),
      stops: createStopsReader(runtime.db, runtime.clock.now),
    })
    const body = { spendTicker, targetTicker: 'USDT', side: 'spend', amount, price: '1' }
    await callRoute(routes, 'createExchange', merchantId, { body })
  }
  await sell('BTC', '0.01', 10n ** 6n)
  venue.faults.push({ lost: 'taken' })
  await hedge({ runtime }, venue)
  await sell('ETH', '1', E18)
}

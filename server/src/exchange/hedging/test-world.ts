/**
 * Hedging for the tests of this module alone: merchants that exchange, a position, the double of a venue, the jobs, and
 * a clock that a test moves. What other modules need of it is in test/world.
 */
import { pino } from 'pino'
import { alertKinds } from '../../../../test/world/observed.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { auditPositions, exposuresOf, pairOf, readExchangePolicy, type ExchangeSettings } from '../exchanges/index.ts'
import {
  catalogue,
  createExchangeWorld,
  giveBalance,
  marketsAt,
  PRICES,
  stock,
  type ExchangeWorld,
} from '../../../../test/world/exchange.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { E18 } from '../../market/rates/index.ts'
import { fundVenue } from './commands.ts'
import type { HedgeDeps } from './deps.ts'
import {
  auditExposures,
  createHedgeAskingJob,
  createHedgeJob,
  compareVenue,
  listOpenOrders,
  hedgePolicyOf,
  type HedgeSettings,
} from './index.ts'
import { toUnits } from './amounts.ts'
import { createTestVenue, type TestVenue } from '../../../../test/world/venue.ts'

export { catalogue }
export const BTC = 10n ** 8n
const MARKETS = { BTC: 'BTC/USDT', ETH: 'ETH/USDT', KZT: 'USDT/KZT' } as const

export interface HedgeWorld extends Omit<ExchangeWorld, 'ask'> {
  venue: TestVenue
  runtime: Runtime
  deps: HedgeDeps
  merchant: string
  /** moves our own sources and the venue */
  price(ticker: keyof typeof MARKETS, usdt: bigint): void
  sell(spend: string, target: string, amount: string): Promise<void>
  /** one run of the job that places, as a process of its own would: a pause point that throws has killed it */
  place(): Promise<void>
  ask(): Promise<void>
  /** lets so much time pass, on every clock, with every job running */
  pass(seconds: number): Promise<void>
  exposure(asset: string): Promise<bigint>
  alerts(): Promise<string[]>
  /** conditions that must always hold */
  sound(): Promise<unknown>
  killAt: string | undefined
}

class Killed extends Error {}

export const createHedgeWorld = async (
  db: Db,
  settings: HedgeSettings = {},
  exchange: ExchangeSettings = {},
): Promise<HedgeWorld> => {
  const inner = createExchangeWorld(db, { spreadBps: 50, feeBps: 50, ...exchange })
  const { ask: request } = inner
  const clock = { now: () => world.now, business: () => world.now }
  const runtime: Runtime = { db, clock, newId, log: pino({ level: 'silent' }) }
  const venue = createTestVenue(() => world.now)
  const world = inner as unknown as HedgeWorld
  const prices: Record<string, bigint> = { ...PRICES, KZT: 500n * E18 }
  const deps: HedgeDeps = {
    runtime,
    catalogue,
    venue,
    policy: hedgePolicyOf(settings),
    usdtMarkets: async () => world.usdtMarkets,
    pause: async (name) => {
      if (name === world.killAt) throw new Killed(name)
    },
  }
  const run = async (job: { run(signal: AbortSignal): Promise<boolean> }): Promise<void> =>
    void (await job.run(new AbortController().signal))
  const hedge: Omit<HedgeWorld, 'now' | 'usdtMarkets'> = {
    venue,
    runtime,
    deps,
    merchant: newId(),
    killAt: undefined,
    price: (ticker, usdt) => {
      prices[ticker] = usdt
      venue.prices.set(MARKETS[ticker], usdt)
      world.usdtMarkets = marketsAt(prices, world.now)
    },
    sell: async (spendTicker, targetTicker, amount) => {
      // As the reader of prices keeps them: an order at older ones is refused.
      world.usdtMarkets = marketsAt(prices, world.now)
      const { status, body } = await request('createExchange', world.merchant, {
        body: {
          spendTicker,
          targetTicker,
          amount,
          side: 'target',
          price: pairOf(spendTicker, targetTicker).selling === 'first' ? '0.00000001' : '9000000',
        },
      })
      if (status !== 200) throw new Error(JSON.stringify(body))
    },
    place: () => run(createHedgeJob(deps, 1_000)),
    ask: () => run(createHedgeAskingJob(deps, 1_000)),
    pass: async (seconds) => {
      for (let left = seconds; left > 0; left -= 5) {
        world.now += Math.min(left, 5) * 1_000
        await hedge.ask()
        await hedge.place()
      }
    },
    exposure: async (asset) => (await exposuresOf(db)).find((one) => one.asset === asset)?.exposure ?? 0n,
    alerts: () => alertKinds(db),
    sound: async () => ({
      ledger: await inTransaction(db, (tx) => auditLedger(tx)),
      positions: await auditPositions(db),
      exposures: await auditExposures(db),
      twice: venue.placed.filter((id, i) => venue.placed.indexOf(id) !== i),
      ...((await listOpenOrders(db)).length > 0
        ? {}
        : {
            drift: (await compareVenue(deps))!
              .filter(({ offSince }) => offSince !== null)
              .map(({ asset, onVenue, booked }) => [asset, onVenue - booked]),
          }),
    }),
  }
  Object.assign(world, hedge)
  for (const [asset, units] of [
    ['BTC', 10n * BTC],
    ['ETH', 100n * E18],
    ['USDT', 5_000_000n * E18],
    ['KZT', 100_000_000_00n],
  ] as const) {
    await stock(db, asset, units)
    await giveBalance(db, world.merchant, asset, units)
    venue.held.set(asset, asset === 'BTC' ? 20n * E18 : asset === 'KZT' ? 100_000_000n * E18 : 1_000_000n * E18)
    const scale = catalogue.find(asset)!.scale
    await inTransaction(db, (tx) =>
      fundVenue(tx, venue.name, asset, toUnits(venue.held.get(asset)!, scale, 'down'), { at: new Date(), newId }),
    )
  }
  world.price('BTC', prices.BTC!)
  world.price('ETH', prices.ETH!)
  world.price('KZT', prices.KZT!)
  return world
}

/** The answer of `sound` without an error. */
export const SOUND = { ledger: [], positions: [], exposures: [], twice: [] }
export const readPolicy = (settings: ExchangeSettings) => readExchangePolicy(catalogue, settings)

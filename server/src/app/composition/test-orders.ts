/**
 * Every operation that moves money behind a real edge, over a real database, in a world that tests change. Only tests
 * of this module use it.
 */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { operations, type Operation } from '@bursar/contract'
import { setPrices } from '../../../../test/world/prices.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { liftStops, stopMoney } from '../../../../test/world/stops.ts'
import { createRoutingTable } from '../../cards/acquiring/index.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { cardPayoutRoutes } from '../../cards/card-payouts/index.ts'
import { createPayoutAcquirer } from '../../../../test/world/acquirer-payouts.ts'
import type { PoolSettings } from '../../platform/db/index.ts'
import { createQuoteStore, exchangeRoutes, readExchangePolicy } from '../../exchange/exchanges/index.ts'
import { giveBalance, marketsAt, PRICES, settings, stock } from '../../../../test/world/exchange.ts'
import { exchangeWithdrawalRoutes, fiatExchangeWithdrawalRoutes } from '../../exchange/exchange-withdrawals/index.ts'
import type { Answer, TestEdge } from '../../../../test/world/edge.ts'
import { createCommitter, type Committer } from '../../ledger/postings/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import type { Route } from '../../platform/api/route.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { E18, type UsdtMarkets } from '../../market/rates/index.ts'
import { createStopsReader } from '../../ledger/stops/index.ts'
import { storeFeeRate } from '../../pay-out/withdrawals/terms.ts'
import { createTermsReader, withdrawalRoutes } from '../../pay-out/withdrawals/index.ts'
import { createOrderPolicy } from '../../pay-out/requests/index.ts'
import { placedOrderRoutes } from './orders.ts'

export const moneyOperations: readonly Operation[] = operations.filter(({ movesMoney }) => movesMoney)

const OUTSIDE = '0x1111111111111111111111111111111111111111'
const CARD = '4111111111111111'

/** Conditions that the operator and the world set, and may change at any time. */
export interface Circumstances {
  /** 1e-18 USDT */
  prices: Readonly<Record<string, bigint>>
  /** gwei */
  gas: bigint
  /** of payouts to cards */
  payoutFeeBps: number
  exchangeFeeBps: number
  /** the least of everything, in whole units of it; undefined: as usual */
  least: string | undefined
  /** no market is open */
  closed: boolean
  /** nothing of the merchant may leave */
  stopped: boolean
  /** whose addresses outside are */
  holder: 'none' | 'platform'
}

const USUAL: Circumstances = {
  prices: PRICES,
  gas: 20n,
  payoutFeeBps: 100,
  exchangeFeeBps: 50,
  least: undefined,
  closed: false,
  stopped: false,
  holder: 'none',
}

/** An order of each operation with the fees that it costs in the usual circumstances. */
export const ORDERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  createCryptoWithdrawal: { ticker: 'USDT', blockchain: 'ETHEREUM', to: OUTSIDE, amount: '10', fee: '3.25' },
  createFiatWithdrawal: { ticker: 'UAH', to: CARD, amount: '1000', fee: '10' },
  createFiatBatchWithdrawal: { ticker: 'UAH', to: CARD, amount: '20000', fee: '200' },
  createExchange: {
    spendTicker: 'UAH',
    targetTicker: 'USDT',
    side: 'target',
    amount: '100',
    fee: '20.17',
    price: '40.21',
  },
  createCryptoExchangeWithdrawal: {
    spendTicker: 'ETH',
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    to: OUTSIDE,
    side: 'spend',
    amount: '0.1',
    fee: '3.25',
    exchangeFee: '0.0005',
    price: '2485',
  },
  createFiatExchangeWithdrawal: {
    spendTicker: 'USDT',
    ticker: 'UAH',
    to: CARD,
    side: 'spend',
    amount: '100',
    fee: '40',
    exchangeFee: '0.5',
    price: '39.79',
  },
}

export interface OrderWorld {
  routes(): readonly Route[]
  /** From now on everything is as usual but for this. */
  change(to?: Partial<Circumstances>): Promise<void>
  /** Sends an order as signed `ago` seconds before now; the same seconds are the same bytes and the same signature. */
  place(operation: string, body: Readonly<Record<string, string>>, ago?: number): Promise<Answer>
  find(localId: string): Promise<Record<string, unknown>[]>
  /** what the merchant has of each asset, less what is held */
  balances(): Promise<Record<string, string>>
  close(): Promise<void>
}

/** Every signed operation, by the routes that the world has at the time of the request. */
export const signedRoutes = (world: () => OrderWorld): Route[] =>
  operations
    .filter(({ signed }) => signed)
    .map(({ id: operation }) => ({
      operation,
      handle: (request) =>
        world()
          .routes()
          .find((route) => route.operation === operation)!
          .handle(request),
    }))

export const openOrders = async (edge: TestEdge, pool: PoolSettings): Promise<OrderWorld> => {
  const { db, merchant, clock } = edge
  const committer = createCommitter(pool)
  for (const asset of ['USDT', 'ETH']) {
    await stock(db, asset, 1_000_000n * E18)
    await giveBalance(db, merchant.id, asset, 10_000n * E18)
  }
  await stock(db, 'UAH', 10_000_000_00n)
  await giveBalance(db, merchant.id, 'UAH', 1_000_000_00n)
  let routes: readonly Route[] = []
  const world: OrderWorld = {
    routes: () => routes,
    change: async (to = {}) => {
      const now = { ...USUAL, ...to }
      await storeTerms(edge, now)
      routes = routesOf(edge, committer, now, async () =>
        now.closed ? { open: new Map(), closed: new Map() } : marketsAt(now.prices, clock.ms),
      )
    },
    place: (operation, body, ago = 0) =>
      edge.call('POST', moneyOperations.find(({ id }) => id === operation)!.path, JSON.stringify(body), {
        timestamp: Math.floor(clock.ms / 1_000) - ago,
      }),
    find: async (localId) => {
      const { status, text } = await edge.call('GET', `/merchants/withdrawals?localId=${localId}`)
      if (status !== 200) throw new Error(text)
      return JSON.parse(text) as Record<string, unknown>[]
    },
    balances: async () => {
      const { rows } = await sql<{
        asset: string
        units: bigint
      }>`select asset, posted - held as units from ledger_accounts
        where merchant_id = ${merchant.id} and kind = 'merchant' order by asset`.execute(db)
      return Object.fromEntries(rows.map(({ asset, units }) => [asset, units.toString()]))
    },
    close: () => committer.close(),
  }
  await world.change()
  return world
}

const storeTerms = async (
  { db, clock, merchant }: TestEdge,
  { gas, prices, stopped }: Circumstances,
): Promise<void> => {
  const runtime = createTestRuntime(db, () => clock.ms)
  await liftStops(db)
  if (stopped) await stopMoney(db, { merchantId: merchant.id })
  const rate = { kind: 'gas', legacy: false, maxFeePerGas: gas * 1_000_000_000n, maxPriorityFeePerGas: 1n } as const
  await storeFeeRate(db, 'ETHEREUM', rate, clock.ms)
  await setPrices(runtime, { ETH: prices.ETH ?? PRICES.ETH, USDT: E18 })
}

const ring = createSecretRing([randomBytes(32)])

const routesOf = (
  { db, clock }: TestEdge,
  committer: Committer,
  now: Circumstances,
  usdtMarkets: () => Promise<UsdtMarkets>,
): Route[] => {
  const real = { now: () => clock.ms, business: () => clock.ms }
  const runtime = { db, clock: real, newId, log: pino({ level: 'silent' }) }
  const { least } = now
  const networks = (all: (typeof settings.crypto)[number]['networks']) =>
    Object.fromEntries(Object.entries(all).map(([network, on]) => [network, { ...on, minWithdrawal: least ?? '0' }]))
  const catalogue = createCatalogue({
    crypto: settings.crypto.map((asset) => ({ ...asset, networks: networks(asset.networks) })),
    fiat: settings.fiat.map((asset) => ({
      ...asset,
      payout: { fee: { bps: now.payoutFeeBps }, ...(least === undefined ? {} : { min: least, max: least }) },
    })),
  })
  const acquirer = createPayoutAcquirer('first', { UAH: { least: 500_00n, most: 14_500_00n } })
  const limits =
    least === undefined
      ? {}
      : { assets: Object.fromEntries(['UAH', 'USDT', 'ETH'].map((ticker) => [ticker, { min: least, max: least }])) }
  const trading = {
    runtime,
    usdtMarkets,
    quoteStore: createQuoteStore(runtime),
    stops: createStopsReader(db, real.now),
    policy: readExchangePolicy(catalogue, { spreadBps: 40, feeBps: now.exchangeFeeBps, ...limits }),
  }
  const cards = {
    rules: { catalogue, routing: createRoutingTable([acquirer]) },
    cards: ring,
    random: (below: number) => Math.floor(below / 2),
  }
  const placing = {
    holders: { holderOf: async () => now.holder },
    rules: { catalogue, bitcoinChain: 'regtest' as const },
  }
  const orderPolicy = createOrderPolicy(runtime)
  return [
    ...withdrawalRoutes({ runtime, committer, orderPolicy, ...placing }),
    ...cardPayoutRoutes({ runtime, committer, orderPolicy, ...cards }),
    ...exchangeRoutes(trading),
    ...exchangeWithdrawalRoutes({ trading, placing, terms: createTermsReader(db, catalogue, real.now), orderPolicy }),
    ...fiatExchangeWithdrawalRoutes({ trading, cards, orderPolicy }),
    ...placedOrderRoutes({ runtime, catalogue }),
  ]
}

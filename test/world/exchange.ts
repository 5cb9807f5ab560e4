/**
 * Exchanges for tests: assets, order books with one level around a price, the routes, merchants with money, and the
 * position that they trade with.
 */
import { createCatalogue, type AssetSettings } from '../../server/src/market/assets/index.ts'
import { inTransaction, type Db } from '../../server/src/platform/db/index.ts'
import { applyAll, PLATFORM } from '../../server/src/ledger/postings/index.ts'
import { newId } from './merchant.ts'
import type { ApiRequest } from '../../server/src/platform/api/route.ts'
import { E18, marketOf, type UsdtMarkets } from '../../server/src/market/rates/index.ts'
import { createStopsReader } from '../../server/src/ledger/stops/index.ts'
import {
  createQuoteStore,
  exchangeRoutes,
  fundPosition,
  readExchangePolicy,
  type ExchangeSettings,
} from '../../server/src/exchange/exchanges/index.ts'
import { answerOf, type Answer } from './requests.ts'
import { createTestRuntime } from './runtime.ts'

const on = (decimals: number) => ({ decimals, minDeposit: '0', minWithdrawal: '0' })
export const settings: AssetSettings = {
  crypto: [
    { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: on(8) } },
    { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: on(18) } },
    {
      ticker: 'USDT',
      name: 'Tether',
      networks: { ETHEREUM: { ...on(6), contract: '0x1' }, BINANCE_SMART_CHAIN: { ...on(18), contract: '0x2' } },
    },
  ],
  fiat: [
    { ticker: 'UAH', name: 'Ukrainian hryvnia', scale: 2 },
    { ticker: 'KZT', name: 'Kazakhstani tenge', scale: 2 },
  ],
}
export const catalogue = createCatalogue(settings)

/** Books of three sources, each with one level of `depth` whole bases a tenth of a percent around the price. */
export const marketsAt = (prices: Readonly<Record<string, bigint>>, at: number, depth = 1_000_000n): UsdtMarkets => ({
  open: new Map(
    Object.entries(prices).map(([ticker, price]) => [
      ticker,
      {
        ticker,
        quorum: 2,
        middle: price,
        observedAt: new Date(at),
        books: ['one', 'two', 'three'].map((source) => ({
          ...marketOf(ticker),
          source,
          observedAt: at,
          bids: [{ price: (price * 999n) / 1000n, amount: depth * E18 }],
          asks: [{ price: (price * 1001n) / 1000n, amount: depth * E18 }],
        })),
      },
    ]),
  ),
  closed: new Map([['KZT', '0 of 1 sources that are needed agree']]),
})

export const PRICES = { BTC: 65_000n * E18, ETH: 2_500n * E18, UAH: 40n * E18 }

export interface ExchangeWorld {
  /** ms, real and business */
  now: number
  usdtMarkets: UsdtMarkets
  ask(operation: string, merchantId: string, request: Partial<ApiRequest>): Promise<Answer>
}
export const createExchangeWorld = (db: Db, given: ExchangeSettings = {}): ExchangeWorld => {
  const world: ExchangeWorld = {
    now: 1_800_000_000_000,
    usdtMarkets: marketsAt(PRICES, 1_800_000_000_000),
    ask: (operation, merchantId, request) => answerOf(routes, operation, merchantId, request),
  }
  const runtime = { ...createTestRuntime(db, () => world.now), newId }
  const routes = exchangeRoutes({
    runtime,
    quoteStore: createQuoteStore(runtime),
    policy: readExchangePolicy(catalogue, given),
    usdtMarkets: async () => world.usdtMarkets,
    stops: createStopsReader(db, runtime.clock.now),
  })
  return world
}

const post = (db: Db, merchantId: string, asset: string, kind: 'merchant' | 'capital', units: bigint) =>
  inTransaction(db, (tx) => {
    const id = newId()
    const entry = (of: typeof kind | 'custody:ETHEREUM', posted: bigint) => ({
      account: { merchantId, asset, kind: of },
      posted,
      held: 0n,
    })
    return applyAll(tx, [
      {
        transfer: {
          id,
          merchantId,
          kind: 'post',
          cause: { kind: 'adjustment', id },
          entries: [entry(kind, units), entry('custody:ETHEREUM', -units)],
          at: new Date(),
        },
      },
    ])
  })

/** Money of a merchant that has arrived; ledger units. */
export const giveBalance = (db: Db, merchantId: string, asset: string, units: bigint) =>
  post(db, merchantId, asset, 'merchant', units)

/** Money of the owner that has arrived; ledger units. */
export const giveCapital = (db: Db, asset: string, units: bigint) => post(db, PLATFORM, asset, 'capital', units)

/** Money of the owner that has arrived and is traded with. */
export const stock = async (db: Db, asset: string, units: bigint) => {
  await giveCapital(db, asset, units)
  await inTransaction(db, (tx) => fundPosition(tx, asset, units, { at: new Date(), newId }))
}

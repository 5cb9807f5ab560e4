/**
 * What tests of exchanges stand on: legs with deep books at a price each, a policy, merchants with money, a stocked
 * position.
 */
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { createCatalogue, type AssetSettings } from '../../market/assets/index.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { applyAll, PLATFORM } from '../../ledger/postings/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { ApiRefusal, type ApiRequest, type Route } from '../../platform/api/route.ts'
import { E18, marketOf, type Legs } from '../../market/rates/index.ts'
import { createStopsReader } from '../../ledger/stops/index.ts'
import { createQuoteStore, exchangeRoutes, fundPosition, readExchangePolicy, type ExchangeSettings } from './index.ts'

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
export const legsAt = (prices: Readonly<Record<string, bigint>>, at: number, depth = 1_000_000n): Legs => ({
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
  legs: Legs
  ask(
    operation: string,
    merchantId: string,
    request: { query?: Record<string, string>; body?: unknown; answerKeys?: ApiRequest['answerKeys'] },
  ): Promise<Answer>
}
export interface Answer {
  status: number
  body: Record<string, unknown> & { id?: string; code?: number; description?: string }
  headers?: Readonly<Record<string, string>>
}

/** What a route answers, a refusal as the edge writes it. */
export const answering = async (
  routes: readonly Route[],
  operation: string,
  merchantId: string,
  {
    query = {},
    body,
    answerKeys = [],
  }: { query?: Record<string, string>; body?: unknown; answerKeys?: ApiRequest['answerKeys'] },
): Promise<Answer> => {
  const route = routes.find((one) => one.operation === operation)!
  try {
    const answer = await route.handle({
      merchantId,
      params: {},
      query,
      body,
      keyId: randomUUID(),
      requestId: 'r',
      answerKeys,
    })
    return {
      status: answer.status,
      ...(answer.headers && { headers: answer.headers }),
      body: JSON.parse('json' in answer ? answer.json : JSON.stringify(answer.body)) as Answer['body'],
    }
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    return {
      status: error.status,
      body: { code: error.code, description: error.message, ...(error.field && { field: error.field }) },
    }
  }
}

export const createExchangeWorld = (db: Db, given: ExchangeSettings = {}): ExchangeWorld => {
  const world: ExchangeWorld = {
    now: 1_800_000_000_000,
    legs: legsAt(PRICES, 1_800_000_000_000),
    ask: (operation, merchantId, request) => answering(routes, operation, merchantId, request),
  }
  const clock = { now: () => world.now, business: () => world.now }
  const runtime = { db, clock, newId, log: pino({ level: 'silent' }) }
  const routes = exchangeRoutes({
    runtime,
    quoteStore: createQuoteStore(runtime),
    policy: readExchangePolicy(catalogue, given),
    legs: async () => world.legs,
    stops: createStopsReader(db, clock.now),
  })
  return world
}

const post = (db: Db, merchantId: string, asset: string, kind: 'merchant' | 'capital', units: bigint) =>
  inTransaction(db, (tx) => {
    const id = newId()
    const leg = (of: typeof kind | 'custody:ETHEREUM', posted: bigint) => ({
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
          legs: [leg(kind, units), leg('custody:ETHEREUM', -units)],
          at: new Date(),
        },
      },
    ])
  })

/** Money of a merchant that has arrived; ledger units. */
export const giveBalance = (db: Db, merchantId: string, asset: string, units: bigint) =>
  post(db, merchantId, asset, 'merchant', units)

/** Money of the owner that has arrived and is traded with. */
export const stock = async (db: Db, asset: string, units: bigint) => {
  await post(db, PLATFORM, asset, 'capital', units)
  await inTransaction(db, (tx) => fundPosition(tx, asset, units, { at: new Date(), newId }))
}

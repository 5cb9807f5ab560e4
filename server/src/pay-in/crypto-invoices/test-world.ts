/**
 * What the tests of this module stand in: a database, a merchant, deposits that are really followed, and clocks to
 * move.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { ChainTransaction, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { createDepositExpecting, createTargetKeeper, releaseConversions } from '../../exchange/conversions/index.ts'
import { createDb, createPool, inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { createDeposits, DEFAULT_DEPOSIT_POLICY, type Deposits } from '../deposits/index.ts'
import { blockOf, pay } from '../../../../test/world/deposits.ts'
import { carryOut, type Effects } from '../../ledger/effects/index.ts'
import { balancesOf } from '../../ledger/postings/index.ts'
import { announceSending } from '../../merchants/mail/index.ts'
import { ApiRefusal, type ApiAnswer, type ApiRequest } from '../../platform/api/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import {
  createClaimTokens,
  createExpiryJob,
  createInvoiceCreator,
  createInvoices,
  createQuoteJob,
  invoiceRoutes,
  invoicesAt,
  isAskedFor,
  type Choice,
  type Claim,
  type ClaimSettings,
  type PayerInvoice,
} from './index.ts'

export const START = Date.UTC(2026, 0, 1)
export const HOUR = 3_600_000
export const MINUTE = 60_000
export const E18 = 10n ** 18n

/** USDT has 6 decimals on Ethereum and 18 on BSC; a deposit on Ethereum costs 1 %. */
export const catalogue = createCatalogue({
  crypto: [
    {
      ticker: 'BTC',
      name: 'Bitcoin',
      networks: { BITCOIN: { decimals: 8, minDeposit: '0.0001', minWithdrawal: '0.001' } },
    },
    {
      ticker: 'ETH',
      name: 'Ether',
      networks: { ETHEREUM: { decimals: 18, minDeposit: '0.001', minWithdrawal: '0.01' } },
    },
    {
      ticker: 'USDT',
      name: 'Tether',
      networks: {
        ETHEREUM: { contract: '0xusdt', decimals: 6, minDeposit: '1', minWithdrawal: '1', depositFee: { bps: 100 } },
        BINANCE_SMART_CHAIN: { contract: '0xbusdt', decimals: 18, minDeposit: '1', minWithdrawal: '1' },
      },
    },
  ],
  fiat: [],
})

const CONTRACTS: Record<string, string | null> = { 'USDT/ETHEREUM': '0xusdt', 'USDT/BINANCE_SMART_CHAIN': '0xbusdt' }
export const SHOP = randomUUID()
export const OTHER = randomUUID()

export interface World {
  db: Db
  /** ms, the business clock; tests move it */
  now: number
  /** USD in 1e-18 by ticker; tests change and take them away */
  prices: Map<string, bigint>
  settings: ClaimSettings
  deposits: Deposits
  /** whether the merchant has deposits held until they are screened; tests turn it on */
  holding: boolean
  act(work: (tx: Tx, moment: Moment) => Promise<Effects>): Promise<void>
  call(operation: string, request: Partial<ApiRequest>): Promise<{ status: number; body: Record<string, unknown> }>
  create(body: Record<string, unknown>, more?: Partial<ApiRequest>): Promise<string>
  proceed(id: string, choice?: Choice): Promise<void>
  claim(id: string, token: string, wanted: Claim): Promise<void>
  find(id: string): Promise<PayerInvoice>
  lookup(id: string, merchantId?: string): Promise<Record<string, unknown>>
  close(id: string): Promise<Record<string, unknown>>
  /** A transaction to an invoice's address; amount in whole units. Nobody has seen it yet. */
  payment(
    id: string,
    amount: string,
    more?: { ticker?: string; network?: Network; hash?: string },
  ): Promise<{ network: Network; transaction: ChainTransaction }>
  /** Puts transactions into the next block of a network and makes it final. */
  confirm(...payments: { network: Network; transaction: ChainTransaction }[]): Promise<void>
  mine(network: Network, transactions: ChainTransaction[]): Promise<number>
  settle(network: Network, final?: number): Promise<void>
  orphan(network: Network, fromHeight: number): Promise<void>
  poolHas(network: Network, transactions: ChainTransaction[]): Promise<void>
  /** Runs the module's jobs once. */
  tick(): Promise<void>
  notices(): Promise<Record<string, unknown>[]>
  /** kinds and statuses of what the merchant was notified of, in order */
  notified(): Promise<string[]>
  mails(): Promise<{ kind: string; recipient: string; data: Record<string, unknown> }[]>
  balance(ticker: string): Promise<bigint>
  reset(): Promise<void>
  end(): Promise<void>
}

export const createWorld = (url: string): World => {
  const pool = createPool({ url })
  const db = createDb(pool)
  let made = 0
  // In the order they were made, as ids of one process are.
  const newId = () => uuidv7(START + (made += 1), randomBytes(10))
  const prices = new Map<string, bigint>()
  const heights = new Map<Network, number>()
  let branch = 0
  const runtime = {
    db,
    newId,
    log: undefined as never,
    clock: { now: () => world.now, business: () => world.now },
  } as unknown as Runtime
  const settings: ClaimSettings = {
    catalogue,
    networks: catalogue.networks,
    keys: TEST_KEYS,
    prices: async () => new Map(prices),
    quoteMs: 15 * MINUTE,
    minedWithinMs: 24 * HOUR,
    publicUrl: 'https://pay.example',
    claimTokens: createClaimTokens([new Uint8Array(32).fill(3)]),
    destinationOf: (_network, address) => (address.startsWith('0x') ? address : undefined),
    onPaid: releaseConversions,
  }
  const invoices = createInvoices(settings)
  const deposits = createDeposits({
    catalogue,
    policy: DEFAULT_DEPOSIT_POLICY,
    prices: async () => new Map(prices),
    onCredited: [createDepositExpecting({ invoicesAt, isAsked: isAskedFor, defaultTicker: async () => null })],
    depositSubscribers: [invoices.follow],
    holds: () => sql`${world.holding}::boolean`,
  })
  const creator = createInvoiceCreator(db)
  const directory = { find: () => null }
  const routes = invoiceRoutes({
    runtime,
    directory,
    creator,
    settings,
    keepTarget: createTargetKeeper(db, { catalogue, bitcoinChain: 'regtest' }),
  })
  const jobs = [createExpiryJob, createQuoteJob].map((create) =>
    create({ runtime, settings, everyMs: 1, pause: async () => {} }),
  )
  const moment = (): Moment => ({ at: new Date(world.now), newId })
  const world: World = {
    db,
    now: START,
    prices,
    settings,
    deposits,
    holding: false,
    act: (work) =>
      inTransaction(db, async (tx) => {
        const now = moment()
        await carryOut(tx, await work(tx, now), now)
      }),
    call: async (operation, request) => {
      const route = routes.find((one) => one.operation === operation)!
      const whole = {
        merchantId: SHOP,
        params: {},
        query: {},
        body: undefined,
        keyId: randomUUID(),
        requestId: 'r',
        answerKeys: [],
        ...request,
      }
      const answer: ApiAnswer = await route.handle(whole).catch((error: unknown) => {
        if (!(error instanceof ApiRefusal)) throw error
        return { status: error.status, body: { code: error.code, description: error.message, field: error.field } }
      })
      return {
        status: answer.status,
        body: ('json' in answer ? JSON.parse(answer.json) : answer.body) as Record<string, unknown>,
      }
    },
    create: async (body, more = {}) => {
      const answer = await world.call('createCryptoInvoice', { body: { name: 'Order 7', ...body }, ...more })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer))
      return answer.body.id as string
    },
    proceed: (id, choice = {}) => world.act((tx, now) => invoices.proceed(tx, id, choice, now)),
    claim: (id, token, wanted) => world.act((tx, now) => invoices.claim(tx, id, token, wanted, now)),
    find: async (id) => (await invoices.find(db, id, new Date(world.now)))!,
    lookup: async (id, merchantId = SHOP) =>
      (await world.call('getCryptoInvoice', { merchantId, params: { id } })).body,
    close: async (id) => (await world.call('closeCryptoInvoice', { params: { id } })).body,
    payment: async (id, amount, more = {}) => {
      const { destination, ticker, blockchain } = await world.find(id)
      const network = more.network ?? blockchain!
      const asset = catalogue.findCrypto(more.ticker ?? ticker!)!
      const { decimals } = asset.networks.get(network)!
      const units = (BigInt(Math.round(Number(amount) * 1e6)) * 10n ** BigInt(decimals)) / 1_000_000n
      const contract = CONTRACTS[`${asset.ticker}/${network}`] ?? null
      const options = {
        contract,
        index: contract === null ? 'n' : 'l:0',
        ...(more.hash === undefined ? {} : { hash: more.hash }),
      }
      return { network, transaction: pay(destination!.address, units, options) }
    },
    confirm: async (...payments) => {
      for (const { network, transaction } of payments) await world.mine(network, [transaction])
      for (const network of new Set(payments.map((one) => one.network))) await world.settle(network)
    },
    mine: async (network, transactions) => {
      const height = (heights.get(network) ?? 99) + 1
      heights.set(network, height)
      await world.act((tx, now) =>
        deposits.block(tx, network, blockOf(height, transactions, `b${branch}`, world.now), now),
      )
      return height
    },
    settle: async (network, final) => {
      const head = heights.get(network)!
      await world.act((tx, now) =>
        deposits.settled(tx, network, { headHeight: head + 50, finalHeight: final ?? head }, now),
      )
    },
    orphan: async (network, fromHeight) => {
      branch += 1
      heights.set(network, fromHeight - 1)
      await world.act((tx, now) => deposits.orphaned(tx, network, fromHeight, now))
    },
    poolHas: (network, added) =>
      world.act((tx, now) =>
        deposits.mempool(tx, network, { added, hashes: new Set(added.map(({ hash }) => hash)) }, now),
      ),
    tick: async () => {
      for (const job of jobs) while (await job.run(new AbortController().signal)) continue
    },
    notices: async () => {
      const { rows } = await sql<{ body: string }>`select body from events order by merchant_id, sequence`.execute(db)
      return rows.map((row) => JSON.parse(row.body) as Record<string, unknown>)
    },
    notified: async () => (await world.notices()).map(({ kind, status }) => `${kind as string} ${status as string}`),
    mails: async () =>
      (
        await sql<{
          kind: string
          recipient: string
          data: Record<string, unknown>
        }>`select kind, recipient, data from mails order by created_at, id`.execute(db)
      ).rows,
    balance: async (asset) => (await balancesOf(db, 'merchant', [{ merchantId: SHOP, asset }]))[0]!.posted,
    reset: async () => {
      await emptyTables(db)
      world.now = START
      world.holding = false
      heights.clear()
      prices.clear()
      for (const [ticker, usd] of [
        ['BTC', 50_000n],
        ['ETH', 2_000n],
        ['USDT', 1n],
      ] as const)
        prices.set(ticker, usd * E18)
      prices.set('EUR', (108n * E18) / 100n)
      prices.set('UAH', E18 / 40n)
      for (const id of [SHOP, OTHER]) await makeMerchant(db, START, { id })
      await announceSending(db, true, new Date(START))
    },
    end: async () => {
      await creator.close()
      await pool.end()
    },
  }
  return world
}

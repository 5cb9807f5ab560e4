/** Crypto invoices over deposits that tests mine: a merchant, its routes and jobs, and a payer's choices. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { ChainTransaction, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { makeMerchant } from './merchant.ts'
import { TEST_KEYS } from './keys.ts'
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import { uuidv7 } from '../../server/src/platform/base/id.ts'
import {
  createDepositExpecting,
  createTargetKeeper,
  releaseConversions,
} from '../../server/src/exchange/conversions/index.ts'
import { answerOf } from './requests.ts'
import { createDepositWorld, E18, pay, START, type World as DepositWorld } from './deposits.ts'
import { useDb } from './database.ts'
import { afterAll, beforeEach } from 'vitest'
import { announceSending } from '../../server/src/merchants/mail/index.ts'
import { type ApiRequest } from '../../server/src/platform/api/route.ts'
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
} from '../../server/src/pay-in/crypto-invoices/index.ts'

export const HOUR = 3_600_000
export const MINUTE = 60_000

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

interface Invoices {
  settings: ClaimSettings
  /** whether the merchant has deposits held until they are screened; tests turn it on */
  holding: boolean
  call(operation: string, request: Partial<ApiRequest>): Promise<{ status: number; body: Record<string, unknown> }>
  create(body: Record<string, unknown>, more?: Partial<ApiRequest>): Promise<string>
  proceed(id: string, choice?: Choice): Promise<void>
  claim(id: string, token: string, wanted: Claim): Promise<void>
  find(id: string): Promise<PayerInvoice>
  lookup(id: string, merchantId?: string): Promise<Record<string, unknown>>
  close(id: string): Promise<Record<string, unknown>>
  /** A transaction to an invoice's address; amount in whole units. No node has seen it yet. */
  payment(
    id: string,
    amount: string,
    more?: { ticker?: string; network?: Network; hash?: string },
  ): Promise<{ network: Network; transaction: ChainTransaction }>
  /** Puts transactions into the next block of a network and makes it final. */
  confirm(...payments: { network: Network; transaction: ChainTransaction }[]): Promise<void>
  /** the next block; answers its height */
  mine(network: Network, transactions: ChainTransaction[]): Promise<number>
  settle(network: Network, final?: number): Promise<void>
  orphan(network: Network, fromHeight: number): Promise<void>
  /** the pause point at which the jobs fail; tests set it */
  killAt: string | null
  /** Runs the module's jobs once. */
  tick(): Promise<void>
  notices(): Promise<Record<string, unknown>[]>
  /** kinds and statuses of the merchant's notifications, in order */
  notified(): Promise<string[]>
  mails(): Promise<{ kind: string; recipient: string; data: Record<string, unknown> }[]>
  balance(ticker: string): Promise<bigint>
  reset(): Promise<void>
}

/** A world of deposits whose subscribers are invoices, with one merchant, and one other. */
export type World = Omit<DepositWorld, keyof Invoices> & Invoices & { url: string }

/** For the top of a test file, whose every test begins with two merchants that have nothing. */
export const useCryptoInvoices = (): World => {
  const { url, pool } = useDb()
  let made = 0
  // In the order they were made, as ids of one process are.
  const newId = () => uuidv7(START + (made += 1), randomBytes(10))
  const heights = new Map<Network, number>()
  let branch = 0
  const settings: ClaimSettings = {
    catalogue,
    networks: catalogue.networks,
    keys: TEST_KEYS,
    prices: async () => new Map(below.prices),
    quoteMs: 15 * MINUTE,
    minedWithinMs: 24 * HOUR,
    publicUrl: 'https://pay.example',
    claimTokens: createClaimTokens([new Uint8Array(32).fill(3)]),
    destinationOf: (_network, address) => (address.startsWith('0x') ? address : undefined),
    onPaid: releaseConversions,
  }
  const invoices = createInvoices(settings)
  const below = createDepositWorld(
    pool,
    {
      catalogue,
      onCredited: [createDepositExpecting({ invoicesAt, isAsked: isAskedFor, defaultTicker: async () => null })],
      depositSubscribers: [invoices.depositSubscriber],
      holds: () => sql`${world.holding}::boolean`,
    },
    newId,
  )
  const { db, runtime, act, mine, settle, orphan, balance, notices, reset } = below
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
    create({
      runtime,
      settings,
      everyMs: 1,
      pause: (name) => (name === world.killAt ? Promise.reject(new Error(`killed at ${name}`)) : Promise.resolve()),
    }),
  )
  const own: Invoices = {
    settings,
    holding: false,
    killAt: null,
    call: (operation, { merchantId = SHOP, ...request }) => answerOf(routes, operation, merchantId, request),
    create: async (body, more = {}) => {
      const answer = await world.call('createCryptoInvoice', { body: { name: 'Order 7', ...body }, ...more })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer))
      return answer.body.id as string
    },
    proceed: (id, choice = {}) => act((tx, now) => invoices.proceed(tx, id, choice, now)),
    claim: (id, token, wanted) => act((tx, now) => invoices.claim(tx, id, token, wanted, now)),
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
      await mine(network, height, transactions, `b${branch}`)
      return height
    },
    settle: async (network, final) => {
      const head = heights.get(network)!
      await settle(network, head + 50, final ?? head)
    },
    orphan: async (network, fromHeight) => {
      branch += 1
      heights.set(network, fromHeight - 1)
      await orphan(network, fromHeight)
    },
    tick: async () => {
      for (const job of jobs) while (await job.run(new AbortController().signal)) continue
    },
    notices: async () => (await notices()).map(({ body }) => body),
    notified: async () => (await world.notices()).map(({ kind, status }) => `${kind as string} ${status as string}`),
    mails: async () =>
      (
        await sql<{
          kind: string
          recipient: string
          data: Record<string, unknown>
        }>`select kind, recipient, data from mails order by created_at, id`.execute(db)
      ).rows,
    balance: (asset) => balance(SHOP, asset),
    reset: async () => {
      await reset()
      world.holding = false
      heights.clear()
      world.prices.set('EUR', (108n * E18) / 100n)
      world.prices.set('UAH', E18 / 40n)
      for (const id of [SHOP, OTHER]) await makeMerchant(db, START, { id })
      await announceSending(db, true, new Date(START))
    },
  }
  const world: World = Object.assign(below, own, { url })
  beforeEach(() => world.reset())
  afterAll(() => creator.close())
  return world
}

/**
 * Deposits as the watcher moves them: a test says which blocks, pools and reorganisations they see. Without a node; the
 * simulated chain (`adapters/chains/simulated`) has one.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Block, ChainTransaction, Network, Transfer } from '@bursar/chainkit'
import { sql } from 'kysely'
import { carryOut, noEffects, type Effects } from '../../server/src/ledger/effects/index.ts'
import type pg from 'pg'
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import { uuidv7, type NewId } from '../../server/src/platform/base/id.ts'
import type { Moment } from '../../server/src/platform/base/moment.ts'
import { createDb, createPool, inTransaction, type Db, type Tx } from '../../server/src/platform/db/index.ts'
import type { Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { beforeEach } from 'vitest'
import { emptyTables } from '../setup/empty-tables.ts'
import { familyOf, takeIndexes, type AddressFamily } from '../../server/src/chain/addresses/index.ts'
import { giveAddress, type Lease } from './address.ts'
import { useDb } from './database.ts'
import { TEST_KEYS } from './keys.ts'
import { createTestRuntime } from './runtime.ts'
import { balancesOf, type AccountKind } from '../../server/src/ledger/postings/index.ts'
import {
  createDeposits,
  DEFAULT_DEPOSIT_POLICY,
  type Deposits,
  type DepositSettings,
} from '../../server/src/pay-in/deposits/index.ts'

export const DAY = 86_400_000
export const START = Date.UTC(2026, 0, 1)

/** USDT has 6 decimals on Ethereum and 18 on BSC, so 18 in the ledger; every deposit costs 1 % and a fixed part. */
export const catalogue = createCatalogue({
  crypto: [
    {
      ticker: 'BTC',
      name: 'Bitcoin',
      networks: {
        BITCOIN: {
          decimals: 8,
          minDeposit: '0.0001',
          minWithdrawal: '0.001',
          depositFee: { fixed: '0.00001', bps: 100 },
        },
      },
    },
    {
      ticker: 'ETH',
      name: 'Ether',
      networks: { ETHEREUM: { decimals: 18, minDeposit: '0.001', minWithdrawal: '0.01', depositFee: { bps: 100 } } },
    },
    {
      ticker: 'USDT',
      name: 'Tether',
      networks: {
        ETHEREUM: {
          contract: '0xusdt',
          decimals: 6,
          minDeposit: '1',
          minWithdrawal: '1',
          depositFee: { fixed: '2', bps: 0 },
        },
        BINANCE_SMART_CHAIN: { contract: '0xbusdt', decimals: 18, minDeposit: '1', minWithdrawal: '1' },
      },
    },
  ],
  fiat: [],
})

interface Notified {
  objectId: string
  merchantId: string
  status: string
  body: Record<string, unknown>
}

export interface World {
  db: Db
  pool: pg.Pool
  /** its clocks show `now` */
  runtime: Runtime
  deposits: Deposits
  /** ms, the business clock; tests move it */
  now: number
  /** 1e-18 USD by ticker: BTC at 50,000 USD unless a test changes it */
  prices: Map<string, bigint>
  moment(): Moment
  /** Runs a command in one transaction and carries its effects out, as the watcher does. */
  act(work: (tx: Tx, moment: Moment) => Promise<Effects>): Promise<void>
  mine(network: Network, height: number, transactions: ChainTransaction[], branch?: string): Promise<void>
  /** Inner transfers are believed. */
  settle(network: Network, headHeight: number, finalHeight?: number): Promise<void>
  orphan(network: Network, fromHeight: number): Promise<void>
  /** the pool holds exactly these */
  poolHas(network: Network, transactions: ChainTransaction[]): Promise<void>
  /** A new address of a new merchant's. */
  address(network: Network, lease?: Lease, meta?: string | null): Promise<Owned>
  balance(merchantId: string, asset: string, kind?: AccountKind): Promise<bigint>
  notices(): Promise<Notified[]>
  statuses(): Promise<string[]>
  /** Everything is empty and as at first. */
  reset(): Promise<void>
  close(): Promise<void>
}

export interface Owned {
  merchantId: string
  addressId: string
  address: string
}

export const E18 = 10n ** 18n

const PRICES: readonly [string, bigint][] = [
  ['BTC', 50_000n * E18],
  ['ETH', 2_000n * E18],
  ['USDT', E18],
]

/** For the top of a test file, whose every test begins with an empty database. */
export const useDeposits = (settings: Partial<DepositSettings> = {}): World & { url: string } => {
  const { url, pool } = useDb()
  const world = createDepositWorld(pool, settings)
  beforeEach(() => world.reset())
  return Object.assign(world, { url })
}

/** With a pool of its own, for the end of which `close` is called. */
export const createWorld = (url: string, settings: Partial<DepositSettings> = {}): World =>
  createDepositWorld(createPool({ url }), settings)

/** @param settings where they differ from one catalogue, one price list and no subscribers */
export const createDepositWorld = (
  pool: pg.Pool,
  settings: Partial<DepositSettings> = {},
  newId: NewId = () => uuidv7(START, randomBytes(10)),
): World => {
  const db = createDb(pool)
  const prices = new Map(PRICES)
  const given = new Map<AddressFamily, number>()
  const deposits = createDeposits({
    catalogue,
    policy: DEFAULT_DEPOSIT_POLICY,
    prices: async () => prices,
    onCredited: [],
    depositSubscribers: [],
    ...settings,
  })
  const world: World = {
    db,
    pool,
    runtime: { ...createTestRuntime(db, () => world.now), newId },
    deposits,
    now: START,
    prices,
    moment: () => ({ at: new Date(world.now), newId }),
    act: (work) =>
      inTransaction(db, async (tx) => {
        const moment = world.moment()
        await carryOut(tx, await work(tx, moment), moment)
      }),
    mine: (network, height, transactions, branch) =>
      world.act((tx, moment) => deposits.block(tx, network, blockOf(height, transactions, branch, world.now), moment)),
    settle: async (network, headHeight, finalHeight = 0) => {
      await world.act((tx) => believeInner.settled(tx, network))
      await world.act((tx, moment) => deposits.settled(tx, network, { headHeight, finalHeight }, moment))
    },
    orphan: (network, fromHeight) => world.act((tx, moment) => deposits.orphaned(tx, network, fromHeight, moment)),
    poolHas: (network, added) =>
      world.act((tx, moment) =>
        deposits.mempool(tx, network, { added, hashes: new Set(added.map(({ hash }) => hash)) }, moment),
      ),
    address: async (network, lease, meta = 'order-7') => {
      const [merchantId, addressId] = [randomUUID(), randomUUID()]
      const wanted = { merchantId, id: addressId, blockchain: network, meta, lease }
      given.set(familyOf(network), (given.get(familyOf(network)) ?? 0) + 1)
      return { merchantId, addressId, address: await giveAddress(world.runtime, TEST_KEYS, wanted) }
    },
    balance: async (merchantId, asset, kind = 'merchant') =>
      (await balancesOf(db, kind, [{ merchantId, asset }]))[0]!.posted,
    notices: async () => {
      const { rows } = await sql<{ objectId: string; merchantId: string; status: string; body: string }>`
        select object_id as "objectId", merchant_id as "merchantId", status, body from events
        order by merchant_id, sequence`.execute(db)
      return rows.map((row) => ({ ...row, body: JSON.parse(row.body) as Record<string, unknown> }))
    },
    statuses: async () => (await world.notices()).map(({ status }) => status),
    reset: async () => {
      await emptyTables(db)
      // A node that many tests share has seen the addresses of those before: they are not given out again.
      for (const [family, count] of given) await takeIndexes(db, family, 'deposit', 0, count)
      world.now = START
      prices.clear()
      for (const [ticker, usd] of PRICES) prices.set(ticker, usd)
    },
    close: () => pool.end(),
  }
  return world
}

/**
 * In the place of the job that asks the node: every address holds the coin that contracts have sent to it, according to
 * the node.
 */
export const believeInner = {
  block: async (): Promise<Effects> => noEffects,
  orphaned: async (): Promise<Effects> => noEffects,
  settled: async (tx: Tx, network: Network): Promise<Effects> => {
    await sql`update deposits set balance_height = block_height where network = ${network} and index like 't:%'`.execute(
      tx,
    )
    return noEffects
  },
  mempool: async (): Promise<Effects> => noEffects,
}

let counter = 0

/** A transaction that pays. Units are the chain's; keys default to a new one. */
export const pay = (
  to: string,
  units: bigint,
  more: Partial<Pick<ChainTransaction, 'hash' | 'keys' | 'succeeded'>> & {
    index?: string
    contract?: string | null
    /** further transfers of the transaction */
    also?: Transfer[]
  } = {},
): ChainTransaction => {
  counter += 1
  const hash = more.hash ?? `tx${counter}`
  return {
    hash,
    keys: more.keys ?? [`${hash}:in`],
    succeeded: more.succeeded ?? true,
    fee: 1_000n,
    transfers: [
      { index: more.index ?? 'o:0', contract: more.contract ?? null, from: ['payer'], to, units },
      ...(more.also ?? []),
    ],
  }
}

export const blockOf = (height: number, transactions: ChainTransaction[], branch = 'a', time = START): Block => ({
  height,
  hash: `${branch}${height}`,
  parent: `${branch}${height - 1}`,
  time,
  transactions,
})

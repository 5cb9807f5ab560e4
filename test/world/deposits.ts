/**
 * What the tests of this module stand in: a database, two merchants' addresses, and a driver in the watcher's place.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Block, ChainTransaction, Network, Transfer } from '@bursar/chainkit'
import { sql } from 'kysely'
import { carryOut, noEffects, type Effects } from '../../server/src/ledger/effects/index.ts'
import type pg from 'pg'
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import { uuidv7 } from '../../server/src/platform/base/id.ts'
import type { Moment } from '../../server/src/platform/base/moment.ts'
import { createDb, createPool, inTransaction, type Db, type Tx } from '../../server/src/platform/db/index.ts'
import { withoutTriggers } from '../setup/unguarded.ts'
import { balancesOf, type AccountKind } from '../../server/src/ledger/postings/index.ts'
import {
  createDeposits,
  DEFAULT_DEPOSIT_POLICY,
  type CreditedSubscriber,
  type DepositSubscriber,
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

interface Wire {
  objectId: string
  merchantId: string
  status: string
  body: Record<string, unknown>
}

export interface World {
  db: Db
  pool: pg.Pool
  deposits: Deposits
  /** ms, the business clock; tests move it */
  now: number
  /** BTC at 50,000 USD unless a test changes it */
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
  /** @param at the address itself, where a real chain has to know it */
  address(network: Network, lease?: Lease, meta?: string | null, at?: string): Promise<Owned>
  balance(merchantId: string, asset: string, kind?: AccountKind): Promise<bigint>
  notices(): Promise<Wire[]>
  statuses(): Promise<string[]>
  close(): Promise<void>
}

interface Lease {
  untilMs: number
  afterMs: number
}

export interface Owned {
  merchantId: string
  addressId: string
  address: string
}

export const E18 = 10n ** 18n

export const createWorld = (
  url: string,
  onCredited: readonly CreditedSubscriber[] = [],
  depositSubscribers: readonly DepositSubscriber[] = [],
  onVerified: readonly CreditedSubscriber[] = [],
  more: Pick<DepositSettings, 'holds' | 'onHeld' | 'isDerived'> = {},
): World => {
  const pool = createPool({ url })
  const db = createDb(pool)
  const prices = new Map([
    ['BTC', 50_000n * E18],
    ['ETH', 2_000n * E18],
    ['USDT', E18],
  ])
  const deposits = createDeposits({
    catalogue,
    policy: DEFAULT_DEPOSIT_POLICY,
    prices: async () => prices,
    onCredited,
    onVerified,
    depositSubscribers,
    ...more,
  })
  const newId = () => uuidv7(START, randomBytes(10))
  const world: World = {
    db,
    pool,
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
    address: async (network, lease, meta = 'order-7', address = `${network}-${randomBytes(6).toString('hex')}`) => {
      const owned = { merchantId: randomUUID(), addressId: randomUUID(), address }
      const family = network === 'BITCOIN' ? 'BITCOIN' : 'EVM'
      await sql`insert into addresses(merchant_id, id, family, blockchain, address, derivation_index, meta,
          leased_until, lease_after_deposit_ms, created_at)
        values (${owned.merchantId}, ${owned.addressId}, ${family}, ${network}, ${owned.address}, 0, ${meta},
          ${lease ? new Date(lease.untilMs) : null}, ${lease?.afterMs ?? null}, ${new Date(world.now)})`.execute(db)
      return owned
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
    close: () => pool.end(),
  }
  return world
}

/** Empties everything a test may have written. */
export const wipe = async (db: Db): Promise<void> => {
  await withoutTriggers(db, (tx) =>
    sql`truncate deposits, addresses, ledger_accounts, ledger_transfers, ledger_entries, events, event_heads,
    event_streams, freezes, alerts, watch_cursors, watch_blocks, custody_addresses, custody_recent`.execute(tx),
  )
}

/** In the place of the job that asks the node: every address holds what contracts are said to have sent it. */
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

/** A transaction that pays. Units are the chain's; keys default to one nobody else uses. */
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

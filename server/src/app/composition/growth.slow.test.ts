/**
 * What an installation costs when it is idle does not grow with its age: the statements of every job, of the watcher's
 * listeners, of the metrics and of the lists are collected from the code as it runs, and explained on a young database
 * and on an old one.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Block, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import pino from 'pino'
import { expect, test } from 'vitest'
import { isLong } from '../../../../test/setup/cases.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { explain, nodesOf } from '../../../../test/setup/explaining.ts'
import { fill } from '../../../../test/setup/filling.ts'
import { fillEventSpans, makeMonths } from '../../../../test/setup/months.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { createWatchedPool, type Statement } from '../../../../test/setup/watched-pool.ts'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { Signer } from '../../adapters/signer/port.ts'
import { depositAddress, familyOf } from '../../chain/addresses/index.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { balanceRoutes } from '../../ledger/balances/index.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { metricsOf } from '../observability/metrics.ts'
import { lifeMetrics } from '../serving/living.ts'
import { createDb, createPool, inTransaction, type Db } from '../../platform/db/index.ts'
import { readExchangePolicy } from '../../exchange/exchanges/index.ts'
import { createClaimTokens } from '../../pay-in/crypto-invoices/index.ts'
import { ensureWallets, evmHotAddress, type WalletKeys } from '../../chain/transactions/index.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { webhookRoutes } from '../../merchants/webhooks/index.ts'
import { joinAcquirers } from './fiat.ts'
import { createChainSubscribers, createWorkerJobs, type World } from './index.ts'
import { STANDARD_POLICIES } from './policy.ts'

/**
 * The long tier: 10,000 rows against a million. The smaller ones stand in the same ratio of twenty and more to each
 * other.
 */
const [YOUNG, OLD] = isLong ? [10_000, 1_000_000] : [500, 10_000]
/** Months that the events of the old installation are of, each a partition. */
const MONTHS = 48
const EVENTS_FROM = '2027-01-01'
const NETWORKS: readonly Network[] = ['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON']
const MERCHANT = '00000000-0000-4000-8000-000000000001'
const HEIGHT = 2_000_000
const WALLET = { ...TEST_KEYS, masterFingerprint: '00000000' } as unknown as WalletKeys

const catalogue = createCatalogue({
  crypto: [
    {
      ticker: 'BTC',
      name: 'Bitcoin',
      networks: { BITCOIN: { decimals: 8, minDeposit: '0.0001', minWithdrawal: '0.0001' } },
    },
    {
      ticker: 'ETH',
      name: 'Ether',
      networks: { ETHEREUM: { decimals: 18, minDeposit: '0.001', minWithdrawal: '0.01' } },
    },
    {
      ticker: 'BNB',
      name: 'BNB',
      networks: { BINANCE_SMART_CHAIN: { decimals: 18, minDeposit: '0.001', minWithdrawal: '0.01' } },
    },
    { ticker: 'TRX', name: 'TRON', networks: { TRON: { decimals: 6, minDeposit: '1', minWithdrawal: '1' } } },
    {
      ticker: 'USDT',
      name: 'Tether',
      networks: {
        ETHEREUM: {
          contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
          decimals: 6,
          minDeposit: '1',
          minWithdrawal: '1',
        },
        TRON: { contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6, minDeposit: '1', minWithdrawal: '1' },
      },
    },
  ],
  fiat: [],
} as Parameters<typeof createCatalogue>[0])

const DONE = `'${MERCHANT}'::uuid`
const NETWORK = "(array['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON'])[1 + i % 4]"
const COIN = "(array['BTC', 'ETH', 'BNB', 'TRX'])[1 + i % 4]"
/** Tables that get longer for as long as an installation works, with rows whose work is done. */
const HISTORY: Record<string, Record<string, string>> = {
  addresses: { merchant_id: DONE, family: "(array['BITCOIN', 'EVM', 'EVM', 'TRON'])[1 + i % 4]", blockchain: NETWORK },
  deposits: {
    merchant_id: DONE,
    network: NETWORK,
    asset: COIN,
    state: "'credited'",
    told: "'Done'",
    block_height: 'i',
    block_hash: "'h' || i",
    fee_units: '0',
    address: "'t' || i",
  },
  fundings: { network: NETWORK, asset: COIN, booked: 'true', block_height: 'i' },
  custody_addresses: {
    network: NETWORK,
    asset: COIN,
    booked: '0',
    touched: 'false',
    compared_height: '1',
    compared_at: "timestamptz '2026-05-31'",
  },
  withdrawals: { merchant_id: DONE, blockchain: NETWORK, ticker: COIN, state: "'final'", fee_units: '0' },
  outgoing: {
    network: NETWORK,
    purpose: "'payout'",
    state: "'final'",
    senders: "array['s' || i]",
    keys: "'{}'",
    mined_height: 'i',
    network_fee: '1',
  },
  outgoing_attempts: {
    network: NETWORK,
    hash: "'h' || i",
    outgoing_id:
      "(lpad(to_hex(hashtext('outgoing')::bit(32)::bigint), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid",
  },
  utxos: { network: "'BITCOIN'", block_height: 'i', spent_by: "'h' || i", spent_height: 'i', account: "'deposit'" },
  house_transfers: { network: NETWORK, asset: COIN, block_height: 'i' },
  sweeps: { network: "'ETHEREUM'", asset: "'ETH'", state: "'final'", way: "'transfer'" },
  ledger_transfers: { merchant_id: DONE, kind: "'post'", cause_kind: "'deposit'" },
  ledger_entries: { account_id: '1 + i % 8', version: '1 + i / 8', held: '0', held_after: '0' },
  ledger_seals: { account_id: '1 + i % 8', version: '1 + i / 8' },
  events: {
    merchant_id: DONE,
    sequence: 'i',
    kind: "'CryptoDeposit'",
    status: "'Done'",
    created_at: `timestamptz '${EVENTS_FROM}' + i * interval '${MONTHS * 30} days' / ${OLD}`,
  },
  local_ids: { merchant_id: DONE },
  request_answers: { merchant_id: DONE, key: "'local:' || i", status: '200' },
  alerts: { resolved_at: 'now()' },
  network_costs: { network: NETWORK, asset: COIN, operation: "'payout'", day: "date '2020-01-01' - (i % 2000)::int" },
  crypto_invoices: { merchant_id: DONE, state: "'expired'" },
  conversions: { merchant_id: DONE, state: "'done'" },
  exchanges: { merchant_id: DONE, state: "'done'", side: "'spend'" },
  exchange_withdrawals: { merchant_id: DONE, kind: "'crypto'" },
}

const PAYEES = [
  'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
]

/** What is open is as much in an old installation as in a young one. */
const OPEN: [table: string, columns: Record<string, string>][] = [
  ['deposits', { ...HISTORY['deposits'], state: "'pending'", told: "'Pending'", block_height: `${HEIGHT}` }],
  [
    'withdrawals',
    { ...HISTORY['withdrawals'], state: "'requested'", to_address: `(array['${PAYEES.join("', '")}'])[1 + i % 4]` },
  ],
]

/** Of the address that a new block pays. */
const PAID_INDEX = 900_000_000

const log = pino({ enabled: false })

/** Answers as a node with nothing new does. */
const adapterOf = (network: Network): ChainAdapter => {
  const head = { height: HEIGHT, hash: `h${HEIGHT}` }
  return {
    network,
    identity: async () => '',
    capabilities: async () => ({ mempool: network === 'BITCOIN', traces: network !== 'BINANCE_SMART_CHAIN' }),
    head: async () => head,
    finalized: async () => head,
    blockAt: async () => null,
    hashAt: async (height: number) => `h${height}`,
    mempool: async () => ({ hashes: new Set<string>(), added: [] }),
    statusOf: async () => ({ kind: 'unknown' }),
    broadcast: async () => ({ kind: 'accepted' }),
    feeRate: async () =>
      network === 'BITCOIN'
        ? { kind: 'vbyte', milliSatPerVb: 5_000n }
        : network === 'TRON'
          ? { kind: 'resources', energy: 420n, bandwidth: 1_000n }
          : {
              kind: 'gas',
              legacy: network === 'BINANCE_SMART_CHAIN',
              maxFeePerGas: 10n ** 9n,
              maxPriorityFeePerGas: 10n ** 9n,
            },
    balancesAt: async (_height: number, wanted: readonly unknown[]) => wanted.map(() => 0n),
    nonceOf: async () => 0,
    codeAt: async () => '0x',
    poolCosts: async () => new Map(),
  } as unknown as ChainAdapter
}
const nobody = new Proxy(
  {},
  { get: (_target, name) => (name === 'then' ? undefined : async () => Promise.reject(new Error('not here'))) },
)

const worldOn = (db: Db, now: number): World => ({
  runtime: { db, clock: createClock(() => now), newId: () => uuidv7(now, randomBytes(10)), log },
  catalogue,
  policies: STANDARD_POLICIES,
  exchange: readExchangePolicy(catalogue),
  hedging: null,
  wallet: WALLET,
  publicUrl: 'http://127.0.0.1',
  acquirers: joinAcquirers(null),
  cardKeys: null,
  quoteMs: 900_000,
  minedWithinMs: 86_400_000,
  claimTokens: createClaimTokens([new Uint8Array(32)]),
  screening: null,
})

/** Everything that an installation does by itself, once, as far as it goes with nodes that have nothing new. */
const doEverything = async (world: World): Promise<string[]> => {
  const { runtime } = world
  const signal = new AbortController().signal
  const failed: string[] = []
  const attempt = (name: string, work: () => Promise<unknown>): Promise<void> =>
    work().then(
      () => {},
      (error: Error) => void failed.push(`${name}: ${error.message}`),
    )
  const jobs = createWorkerJobs(world, {
    adapters: new Map(NETWORKS.map((network) => [network, adapterOf(network)])),
    chainIds: new Map([
      ['ETHEREUM', 1n],
      ['BINANCE_SMART_CHAIN', 56n],
    ]),
    signer: nobody as Signer,
    sources: [],
    market: { books: [], official: [], legs: {} },
    venue: null,
    delivery: { job: { name: 'deliver webhooks', everyMs: 1, run: async () => false }, close: async () => {} },
    holders: { holderOf: async () => 'nobody' },
    pause: async () => {},
  })
  for (const job of jobs) await attempt(job.name, () => job.run(signal))
  const hot = evmHotAddress(WALLET)
  const { subscribers } = createChainSubscribers(world)
  for (const network of NETWORKS) {
    const block: Block = {
      height: HEIGHT + 1,
      hash: `h${HEIGHT + 1}`,
      parent: `h${HEIGHT}`,
      time: runtime.clock.now(),
      transactions: [
        {
          hash: `new ${network}`,
          keys: [],
          transfers: [
            {
              index: network === 'BITCOIN' ? 'o:0' : 'n',
              contract: null,
              from: ['somebody'],
              to: network === 'ETHEREUM' ? hot : depositAddress(WALLET, familyOf(network), PAID_INDEX),
              units: 10n ** 18n,
            },
          ],
        },
      ] as unknown as Block['transactions'],
    }
    const heights = { headHeight: HEIGHT + 1, finalHeight: HEIGHT + 1 } as never
    for (const [i, subscriber] of subscribers.entries()) {
      await attempt(`subscriber ${i} of ${network}: block`, () =>
        inTransaction(runtime.db, (tx) => subscriber.block(tx, network, block, momentOf(runtime))),
      )
      await attempt(`subscriber ${i} of ${network}: settled`, () =>
        inTransaction(runtime.db, (tx) => subscriber.settled(tx, network, heights, momentOf(runtime))),
      )
      await attempt(`subscriber ${i} of ${network}: orphaned`, () =>
        inTransaction(runtime.db, (tx) => subscriber.orphaned(tx, network, HEIGHT + 1, momentOf(runtime))),
      )
    }
  }
  for (const figure of [...metricsOf(runtime, catalogue, STANDARD_POLICIES.treasury), ...lifeMetrics(runtime)])
    await attempt(figure.name, () => figure.read())
  const routes = [...webhookRoutes({ db: runtime.db }), ...balanceRoutes({ runtime, catalogue })]
  for (const route of routes.filter(({ operation }) => operation.startsWith('list'))) {
    await attempt(route.operation, async () =>
      route.handle({
        merchantId: MERCHANT,
        params: {},
        query: { after: '0', limit: '10', tickers: 'BTC,ETH,USDT' },
        body: {},
        keyId: randomUUID(),
        requestId: 'r',
        answerKeys: [],
      } as never),
    )
  }
  return failed
}

const database = useDatabase({ template: migrated })

test('audit M-C1 M-C2: no statement of a job, a subscriber, the metrics or a list reads more because the installation is old', async () => {
  const now = Date.parse('2026-06-01')
  const seen = new Map<string, Statement>()
  const watched = createWatchedPool(database.url, (statement) => {
    if (!seen.has(statement.text)) seen.set(statement.text, statement)
  })
  const pool = createPool({ url: database.url, statementMs: 600_000 })
  const db = createDb(pool)
  const world = worldOn(createDb(watched), now)

  const grow = async (from: number, to: number): Promise<void> => {
    for (const [table, columns] of Object.entries(HISTORY))
      await withoutTriggers(db, (tx) => fill(tx, table, from, to, columns))
    // All but the newest entry of each account was audited.
    await withoutTriggers(db, async (tx) => {
      await sql`update ledger_accounts a set version = (select max(version) from ledger_entries e where e.account_id = a.id)`.execute(
        tx,
      )
      await sql`insert into audited_accounts as c (account_id, version, posted, held, audited_at)
        select id, version - 1, posted, held, now() from ledger_accounts on conflict (account_id) do update set version = excluded.version`.execute(
        tx,
      )
    })
    await withoutTriggers(db, (tx) => fillEventSpans(tx))
    await sql`vacuum analyze`.execute(db)
  }
  await makeMonths(database.url, EVENTS_FROM, MONTHS)
  // A row is to be old, not right: what a plan depends on is only whether it is open.
  const { rows: checks } = await sql<{
    drop: string
  }>`select format('alter table %I drop constraint %I', conrelid::regclass::text, conname) as drop
    from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace`.execute(db)
  for (const { drop } of checks) await sql.raw(drop).execute(db)
  await ensureWallets(db, WALLET, momentOf(world.runtime))
  for (const family of ['BITCOIN', 'EVM', 'TRON'] as const) {
    await sql`insert into addresses(merchant_id, id, family, blockchain, address, derivation_index, created_at)
      values (${MERCHANT}, gen_random_uuid(), ${family}, 'ETHEREUM', ${depositAddress(WALLET, family, PAID_INDEX)}, ${PAID_INDEX}, ${new Date(now)})`.execute(
      db,
    )
  }
  for (const network of NETWORKS) {
    await sql`insert into watch_cursors values (${network}, ${HEIGHT}, ${`h${HEIGHT}`}, 1, ${HEIGHT}, ${HEIGHT}, true, ${new Date(now)})`.execute(
      db,
    )
    await sql`insert into watch_blocks values (${network}, ${HEIGHT}, ${`h${HEIGHT}`}, 'p')`.execute(db)
  }
  await withoutTriggers(db, async (tx) => {
    await fill(tx, 'ledger_accounts', 1, 8, {
      asset: "'A' || i",
      kind: "'merchant'",
      merchant_id: DONE,
      bounded: 'true',
    })
    for (const [table, columns] of OPEN) await fill(tx, table, 50_000_001, 50_000_010, columns)
  })
  await grow(1, YOUNG)

  const failed = await doEverything(world)
  const young = await explainAll(db, [...seen.values()])
  await grow(YOUNG + 1, OLD)
  const failedLater = await doEverything(world)
  const old = await explainAll(db, [...seen.values()])
  await watched.end()
  await pool.end()

  const findings = [...old].flatMap(([text, { buffers, scans }]) => {
    const before = young.get(text)?.buffers ?? 0
    const grown = buffers > before * 1.5 + 20 ? [`${before} buffers grew to ${buffers}`] : []
    return [...scans.map((table) => `reads all of ${table}`), ...grown].map(
      (what) => `${what}: ${text.replace(/\s+/g, ' ')}`,
    )
  })
  expect(findings).toEqual([])
  // What no job came to is not proved: there are so many statements at least, and nothing but the absent signer kept
  // a job from more.
  expect(old.size).toBeGreaterThan(100)
  expect([...failed, ...failedLater].filter((failure) => !failure.endsWith(': not here'))).toEqual([])
})

const explainAll = async (
  db: Db,
  statements: readonly Statement[],
): Promise<Map<string, { buffers: number; scans: string[] }>> => {
  const explained = new Map<string, { buffers: number; scans: string[] }>()
  for (const { text, values } of statements) {
    if (!/^\s*(select|with|insert|update|delete)/i.test(text)) continue
    const plan = await explain(db, text, values)
    if (plan === undefined) continue
    const nodes = nodesOf(plan)
    explained.set(text, {
      buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      scans: [
        ...new Set(
          nodes
            .flatMap((node) => (node['Node Type'] === 'Seq Scan' ? [node['Relation Name']!] : []))
            .map((table) => table.replace(/^events_(before|\d.*)$/, 'events'))
            .filter((table) => table in HISTORY),
        ),
      ],
    })
  }
  return explained
}

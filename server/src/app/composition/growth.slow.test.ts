/**
 * The work of an idle installation does not grow with its age: the statements of every job, of the watcher's
 * listeners, of the metrics and of the lists are collected from the code as it runs, and explained on a young database
 * and on an old one.
 */
import { createInvariantJob, useIndexesOnly } from '../../treasury/invariants/index.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Block, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import pino from 'pino'
import { expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { explain, nodesOf } from '../../../../test/setup/explaining.ts'
import { fill } from '../../../../test/setup/filling.ts'
import { fillEventSpans, makeMonths } from '../../../../test/setup/months.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { createWatchedPool, type Statement } from '../../../../test/setup/watched-pool.ts'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { Signer } from '../../adapters/signer/port.ts'
import { depositAddress, familyOf, takeIndexes } from '../../chain/addresses/index.ts'
import { giveAddress } from '../../../../test/world/address.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { readEmptyBlocks } from '../../../../test/world/watcher.ts'
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
import { YOUNG, OLD, MONTHS, EVENTS_FROM, NETWORKS, MERCHANT, HEIGHT, HISTORY, OPEN, DONE } from './test-history.ts'

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
const unused = new Proxy(
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
    signer: unused as Signer,
    sources: [],
    market: { books: [], official: [], rules: {} },
    venue: null,
    delivery: {
      job: { name: 'deliver webhooks', everyMs: 1, run: async () => false },
      additional: { name: 'deliver to additional endpoints', everyMs: 1, run: async () => false },
      testing: { name: 'send test notifications', everyMs: 1, run: async () => false },
      close: async () => {},
    },
    holders: { holderOf: async () => 'none' },
    pause: async () => {},
  })
  // The young installation must have a full page of each table, too.
  const invariants = createInvariantJob(runtime, 1, { most: 8 })
  const others = jobs.filter(({ name }) => name !== invariants.name)
  for (const job of [...others, invariants]) await attempt(job.name, () => job.run(signal))
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
              from: ['payer'],
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

/**
 * Statements of the comparison of all addresses on a node that never traces (BSC here): each is for a page of 200
 * addresses, and reads at most the root, a leaf and a row, and one more, for each.
 */
const PAGE_OF_ADDRESSES =
  /from addresses where family = \$1 and address > \$2|left join custody_addresses c on c\.network/
const MOST_OF_A_PAGE = 4 * 200

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
      // Raw: the audit reads what it has not seen; a million entries take it too long.
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
  for (const blockchain of ['BITCOIN', 'ETHEREUM', 'TRON'] as const) {
    await takeIndexes(db, familyOf(blockchain), 'deposit', 0, PAID_INDEX)
    await giveAddress({ ...world.runtime, db }, WALLET, { merchantId: MERCHANT, blockchain })
  }
  for (const network of NETWORKS) {
    await readEmptyBlocks({ ...world.runtime, db }, network, { height: HEIGHT, branch: 'h' })
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
    const most = Math.max(before * 1.5 + 20, PAGE_OF_ADDRESSES.test(text) ? MOST_OF_A_PAGE : 0)
    const grown = buffers > most ? [`${before} buffers grew to ${buffers}`] : []
    return [...scans.map((table) => `reads all of ${table}`), ...grown].map(
      (what) => `${what}: ${text.replace(/\s+/g, ' ')}`,
    )
  })
  expect(findings).toEqual([])
  // A table that no job read is not proved: there are so many statements at least, and nothing but the absent signer
  // kept a job from more.
  expect(old.size).toBeGreaterThan(100)
  expect([...failed, ...failedLater].filter((failure) => !failure.endsWith(': not here'))).toEqual([])
})

/** The walk of invariants has its statements planned with indexes only. */
const settingsOf = (text: string): typeof useIndexesOnly | undefined =>
  /^\s*with page as materialized/.test(text) ? useIndexesOnly : undefined

const explainAll = async (
  db: Db,
  statements: readonly Statement[],
): Promise<Map<string, { buffers: number; scans: string[] }>> => {
  const explained = new Map<string, { buffers: number; scans: string[] }>()
  for (const { text, values } of statements) {
    if (!/^\s*(select|with|insert|update|delete)/i.test(text)) continue
    const plan = await explain(db, text, values, settingsOf(text))
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

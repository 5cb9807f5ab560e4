/**
 * Measures the cost of reading a chain: a block for different numbers of addresses, the speed of catching up, and
 * memory.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { createCatalogue } from '../server/src/market/assets/index.ts'
import { createDeposits, DEFAULT_DEPOSIT_POLICY } from '../server/src/pay-in/deposits/index.ts'
import { auditLedger } from '../server/src/ledger/postings/index.ts'
import { createTransactionSubscriber } from '../server/src/chain/transactions/index.ts'
import { createFunding } from '../server/src/treasury/reconciliation/index.ts'
import { beginFollowing, DEFAULT_WATCHER_SETTINGS, type Follower } from '../server/src/chain/watcher/index.ts'
import { createSettlement } from '../server/src/pay-out/withdrawals/index.ts'
import { report } from './report.ts'
import { atLeast, atMost, median, type Row } from './row.ts'
import { withServer } from './server.ts'
import { makeChain, type MadeChain } from './watch/chain.ts'
import { createBenchDatabase, type BenchDatabase } from './watch/database.ts'

const FEW = 10_000
const MANY = Number(process.env['BENCH_ADDRESSES'] ?? 10_000_000)
const BLOCK = { transfers: 5_000, oneIn: 100 }
const WARM_UP = 10
const ROUNDS = 40
const CATCH_UP = { blocks: 2_000, transfers: 200, oneIn: 100 }

const catalogue = createCatalogue({
  crypto: [
    {
      ticker: 'ETH',
      name: 'Ether',
      networks: { ETHEREUM: { decimals: 18, minDeposit: '0.001', minWithdrawal: '0.01' } },
    },
  ],
  fiat: [],
})

/** The subscribers of production, in its order. */
const subscribers = [
  createTransactionSubscriber([createSettlement(catalogue)]),
  createFunding(catalogue),
  createDeposits({
    catalogue,
    policy: DEFAULT_DEPOSIT_POLICY,
    prices: async () => new Map(),
    onCredited: [],
    depositSubscribers: [],
  }),
]

const follow = ({ runtime }: BenchDatabase, { adapter }: MadeChain): Promise<Follower> => {
  const settings = { ...DEFAULT_WATCHER_SETTINGS.ETHEREUM, network: 'ETHEREUM', identity: '' } as const
  return beginFollowing({
    runtime,
    network: 'ETHEREUM',
    adapter,
    subscribers,
    ringBlocks: settings.ringBlocks,
    settings,
  })
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Milliseconds of one block, by turns in both databases, so that other load of the machine affects both. */
const timeBlocks = async (few: BenchDatabase, many: BenchDatabase): Promise<Row> => {
  const sides = await Promise.all(
    [few, many].map(async (database) => {
      const chain = makeChain('blocks', { ...BLOCK, ours: database.ours })
      return { chain, follower: await follow(database, chain), times: [] as number[] }
    }),
  )
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    for (const { chain, follower, times } of sides) {
      chain.head += 1
      times.push(await timed(() => follower.step()))
    }
  }
  const [limit, value] = sides.map(({ times }) => median(times.slice(WARM_UP))) as [number, number]
  const name = `watch: a block of ${counted(BLOCK.transfers)} transfers, ${counted(MANY)} addresses`
  return atMost({ name, unit: 'ms', value, limit, limitName: `${counted(FEW)} addresses`, goal: 1.3 })
}

const counted = (count: number): string => count.toLocaleString('en-US')

const collect = (() => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
})()
const heap = (): number => {
  collect()
  collect()
  return process.memoryUsage().heapUsed / 1_048_576
}

/** Blocks a second of BSC, the fastest chain: catching up has to be faster. */
const BSC_PACE = 1 / 0.45

const timeCatchUp = async (database: BenchDatabase): Promise<Row[]> => {
  await sql`truncate watch_cursors, watch_blocks`.execute(database.db)
  const chain = makeChain('catch-up', { ...CATCH_UP, ours: database.ours })
  const follower = await follow(database, chain)
  const run = async (blocks: number): Promise<number> => {
    chain.head += blocks
    return timed(async () => {
      while ((await follower.step()).more);
    })
  }
  await run(CATCH_UP.blocks / 10)
  const first = await run(CATCH_UP.blocks)
  const half = heap()
  const second = await run(CATCH_UP.blocks)
  const end = heap()
  const pace = (2_000 * CATCH_UP.blocks) / (first + second)
  const name = `watch: catching up, ${CATCH_UP.transfers} transfers a block`
  return [
    atLeast({ name, unit: 'blocks/s', value: pace, limit: BSC_PACE, limitName: "BSC's pace", goal: 20 }),
    atMost({
      name: 'watch: heap after all blocks',
      unit: 'MB',
      value: end,
      limit: half,
      limitName: 'after half of them',
      goal: 1.05,
    }),
  ]
}

/** Deposits that the blocks brought, and their sum in the ledger: none may be missing. */
const check = async ({ db }: BenchDatabase): Promise<void> => {
  const { rows } = await sql<{ open: number; credited: number; booked: bigint }>`
    select count(*) filter (where state = 'pending' and block_height <= c.final_height) as open,
      count(*) filter (where state = 'credited') as credited,
      coalesce((select -sum(posted) from ledger_accounts where kind = 'custody:ETHEREUM'), 0) as booked
    from deposits, watch_cursors c where c.network = 'ETHEREUM'`.execute(db)
  const { open, credited, booked } = rows[0]!
  const findings = await auditLedger(db)
  if (open > 0 || credited === 0 || booked !== BigInt(credited) * 10n ** 18n || findings.length > 0) {
    const seen = JSON.stringify({ open, credited, booked: String(booked), findings })
    throw new Error(`the books are wrong after the bench: ${seen}`)
  }
}

export const run = (): Promise<Row[]> =>
  withServer('watch', async (url) => {
    const few = await createBenchDatabase(url, 'few', FEW)
    const many = await createBenchDatabase(url, 'many', MANY)
    try {
      const blocks = await timeBlocks(few, many)
      await check(many)
      const rows = [blocks, ...(await timeCatchUp(many))]
      await check(many)
      return rows
    } finally {
      await Promise.all([few.pool.end(), many.pool.end()])
    }
  })

if (import.meta.main) await report(run)

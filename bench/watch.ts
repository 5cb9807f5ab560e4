/**
 * What reading a chain costs: a block beside the number of addresses, the pace of catching up, and the memory it takes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { startPostgres } from '../sandbox/postgres/index.ts'
import { createCatalogue } from '../server/src/assets/index.ts'
import { createDeposits, DEFAULT_DEPOSIT_POLICY } from '../server/src/deposits/index.ts'
import { auditLedger } from '../server/src/ledger/index.ts'
import { createFollowing } from '../server/src/outgoing/index.ts'
import { createFunding } from '../server/src/treasury/index.ts'
import { beginFollowing, DEFAULT_WATCHER_SETTINGS, type Follower } from '../server/src/watcher/index.ts'
import { createSettlement } from '../server/src/withdrawals/index.ts'
import { makeChain, type MadeChain } from './watch/chain.ts'
import { createBenchDatabase, type BenchDatabase } from './watch/database.ts'

export interface Row {
  name: string
  /** what it is measured against, and what was measured, in the unit the name gives */
  limit: number
  value: number
  ratio: number
  goal: number
  ok: boolean
}

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

/** The listeners of production, in its order. */
const listeners = [
  createFollowing([createSettlement(catalogue)]),
  createFunding(catalogue),
  createDeposits({ catalogue, policy: DEFAULT_DEPOSIT_POLICY, prices: async () => new Map(), onCredited: [] }),
]

const follow = ({ runtime }: BenchDatabase, { adapter }: MadeChain): Promise<Follower> => {
  const settings = { ...DEFAULT_WATCHER_SETTINGS.ETHEREUM, network: 'ETHEREUM', identity: '' } as const
  return beginFollowing({ runtime, network: 'ETHEREUM', adapter, listeners, ringBlocks: settings.ringBlocks, settings })
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Milliseconds of one block, by turns in both databases so that whatever else the machine does meets both. */
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
  const name = `watch: ms a block of ${BLOCK.transfers} transfers, ${MANY} addresses against ${FEW}`
  return row(name, limit, value, 1.3, 'most')
}

const row = (name: string, limit: number, value: number, goal: number, kind: 'most' | 'least'): Row => {
  const ratio = value / limit
  return { name, limit, value, ratio, goal, ok: kind === 'most' ? ratio <= goal : ratio >= goal }
}

const collect = (() => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
})()
const heap = (): number => {
  collect()
  collect()
  return process.memoryUsage().heapUsed / 1_048_576
}

/** Blocks a second of the fastest chain there is, BSC: what catching up has to beat. */
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
  const { transfers } = CATCH_UP
  const pace = (2_000 * CATCH_UP.blocks) / (first + second)
  return [
    row(`watch: blocks/s in catch-up, ${transfers} transfers each, against BSC's pace`, BSC_PACE, pace, 20, 'least'),
    row('watch: MB of heap after the second half of catch-up, against the first', half, end, 1.05, 'most'),
  ]
}

/** Deposits that the blocks brought, and what the ledger says of them: nothing may have been left out. */
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

export const run = async (): Promise<Row[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-bench-watch-'))
  const server = await startPostgres({ dataDir: join(folder, 'data') })
  const databases: BenchDatabase[] = []
  try {
    databases.push(await createBenchDatabase(server.url, 'few', FEW))
    databases.push(await createBenchDatabase(server.url, 'many', MANY))
    const [few, many] = databases as [BenchDatabase, BenchDatabase]
    const blocks = await timeBlocks(few, many)
    await check(many)
    const rows = [blocks, ...(await timeCatchUp(many))]
    await check(many)
    return rows
  } finally {
    await Promise.all(databases.map(({ pool }) => pool.end()))
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) console.table(await run())

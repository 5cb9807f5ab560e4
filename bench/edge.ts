/**
 * What the edge costs: requests a second of the application against bare node:http that makes the same checks with the same
 * functions, in the same run, over 64 connections of a load generator in a process of its own. `node bench/edge.ts`.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { startPostgres } from '../sandbox/postgres/index.ts'
import { depositAddress } from '../server/src/addresses/derivation.ts'
import { TEST_KEYS } from '../server/src/addresses/test-keys.ts'
import { createDb, createPool, migrate, type Db } from '../server/src/db/index.ts'
import type { Order, Outcome } from './edge/load.ts'
import type { Account, ShapeName } from './edge/prepared.ts'
import { fillStock, fillWorld } from './edge/world.ts'

export interface Row {
  name: string
  /** what the value is held against, measured in the same run; null for a figure that has no limit */
  limit: number | null
  value: number
  ratio: number | null
  goal: number | null
  ok: boolean
}

const CONNECTIONS = 64
const ROUNDS = 5
const WARM_MS = 5_000
const MEASURED_MS = 2_000
const STOCK = 150_000

const CASES: { name: string; shape: ShapeName; goal: number }[] = [
  { name: 'edge: signed POST, no database work', shape: 'withdrawal', goal: 0.75 },
  { name: 'edge: signed GET /merchants/balances', shape: 'balances', goal: 0.4 },
  { name: 'edge: signed POST /merchants/addresses', shape: 'address', goal: 0.2 },
]

const start = (script: string, args: string[], env: Record<string, string>): ChildProcess =>
  fork(new URL(script, import.meta.url), args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })

const ask = async <Answer>(child: ChildProcess, message: object): Promise<Answer> => {
  child.send(message)
  return ((await once(child, 'message')) as [Answer])[0]
}

/** Measures each case in rounds that take turns, so that both servers see the same machine. */
export const run = async (): Promise<Row[]> => {
  const dir = await mkdtemp(join(tmpdir(), 'bursar-bench-edge-'))
  const postgres = await startPostgres({ dataDir: join(dir, 'pg') })
  const children: ChildProcess[] = []
  try {
    await migrate(postgres.url)
    const pool = createPool({ url: postgres.url })
    const db = createDb(pool)
    const accounts = await fillWorld(db, Date.now())
    await fillStock(db, STOCK)
    const env = { DATABASE_URL: postgres.url }
    for (const [script, arg] of [['edge/server.ts', 'bare'], ['edge/server.ts', 'app'], ['edge/load.ts', '']] as const) {
      children.push(start(script, [arg], env))
    }
    const [bare, app, load] = children as [ChildProcess, ChildProcess, ChildProcess]
    const [bareAt, appAt] = await Promise.all([bare, app].map(async (child) => ((await once(child, 'message')) as [{ port: number }])[0].port))
    const rows: Row[] = []
    for (const one of CASES) rows.push(await compare(one, { load, bare: bareAt!, app: appAt!, accounts }))
    rows.push(derivation())
    await checkAddresses(db)
    await pool.end()
    return rows
  } finally {
    for (const child of children) child.kill()
    await postgres.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

interface Field {
  load: ChildProcess
  /** ports */
  bare: number
  app: number
  accounts: Account[]
}

const compare = async ({ name, shape, goal }: (typeof CASES)[number], { load, bare, app, accounts }: Field): Promise<Row> => {
  const measure = async (port: number, ms: number): Promise<number> => {
    const order: Order = { port, shapes: [shape], accounts, connections: CONNECTIONS, extent: { ms } }
    const outcome = await ask<Outcome>(load, order)
    if (outcome.refused > 0) throw new Error(`${name}: ${outcome.refused} requests were not answered with 200, such as: ${outcome.example}`)
    return outcome.perSecond
  }
  for (const port of [bare, app]) await measure(port, WARM_MS)
  const [limits, values]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    limits.push(await measure(bare, MEASURED_MS))
    values.push(await measure(app, MEASURED_MS))
  }
  const ratio = median(values.map((value, i) => value / limits[i]!))
  return { name, limit: median(limits), value: median(values), ratio, goal, ok: ratio >= goal }
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** What a request is spared by the stock: addresses derived a second. */
const derivation = (): Row => {
  const count = 300
  const startedAt = performance.now()
  for (let n = 0; n < count; n += 1) depositAddress(TEST_KEYS, 'EVM', n)
  const value = count / ((performance.now() - startedAt) / 1_000)
  return { name: 'edge: EVM addresses derived ahead, a second', limit: null, value, ratio: null, goal: null, ok: true }
}

/** Every address has one owner, and none was derived on the way. */
const checkAddresses = async (db: Db): Promise<void> => {
  const { rows } = await sql<{ given: number; different: number; stock: number }>`
    select count(*) as given, count(distinct address) as different, (select count(*) from address_stock) as stock from addresses`.execute(db)
  const { given, different, stock } = rows[0]!
  if (given !== different || given + stock !== STOCK) throw new Error(`addresses: ${given} given, ${different} different, ${stock} left of ${STOCK}`)
}

if (import.meta.main) {
  const rows = await run()
  for (const { name, limit, value, ratio, goal, ok } of rows) {
    const held = ratio === null ? '' : `  limit ${limit!.toFixed(0)}/s  ratio ${ratio.toFixed(2)}  goal ${goal}  ${ok ? 'ok' : 'MISSED'}`
    console.log(`${name}: ${value.toFixed(0)}/s${held}`)
  }
  process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1
}

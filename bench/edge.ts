/**
 * The cost of the HTTP server: requests a second of the application against bare node:http that makes the same checks
 * with the same functions, in the same run, over 64 connections of a load generator in a process of its own. `node
 * bench/edge.ts`.
 */
import { sql } from 'kysely'
import { depositAddress } from '../server/src/chain/addresses/derivation.ts'
import { TEST_KEYS } from '../test/world/keys.ts'
import { createDb, createPool, migrate, type Db } from '../server/src/platform/db/index.ts'
import { portOf, startServer } from './edge/start.ts'
import { startLoad, type Load } from './load/index.ts'
import type { Account, ShapeName } from './load/prepared.ts'
import { createMerchants } from './merchants.ts'
import { report } from './report.ts'
import { ROUNDS } from './rounds.ts'
import { atLeast, median, medianRatio, reported, type Row } from './row.ts'
import { withServer } from './server.ts'

const CONNECTIONS = 64
const MERCHANTS = 1_000
const WARM_MS = 5_000
const MEASURED_MS = 2_000
/** More than a fast machine gives out in the warm-up and the measured rounds. */
const STOCK = 500_000

const CASES: { name: string; shape: ShapeName; goal: number }[] = [
  { name: 'edge: signed POST, no database work', shape: 'withdrawal', goal: 0.75 },
  { name: 'edge: signed GET /merchants/balances', shape: 'balances', goal: 0.4 },
  { name: 'edge: signed POST /merchants/addresses', shape: 'address', goal: 0.2 },
  { name: 'edge: signed POST /merchants/invoices/crypto', shape: 'cryptoInvoice', goal: 0.2 },
]

export const run = (): Promise<Row[]> =>
  withServer('edge', async (url) => {
    await migrate(url)
    const pool = createPool({ url })
    const db = createDb(pool)
    const accounts = await createMerchants(db, MERCHANTS, { others: ['BTC', 'ETH', 'UAH'] })
    await fillStock(db)
    const load = startLoad()
    const servers = [startServer('bare', url), startServer('app', url)] as const
    try {
      const [bare, app] = await Promise.all(servers.map(portOf))
      const rows: Row[] = []
      for (const one of CASES) rows.push(await compare(one, { load, bare: bare!, app: app!, accounts }))
      await checkAddresses(db)
      await checkInvoices(db)
      return [...rows, derivation()]
    } finally {
      load.close()
      for (const server of servers) server.kill()
      await pool.end()
    }
  })

interface Field {
  load: Load
  /** ports */
  bare: number
  app: number
  accounts: Account[]
}

/** Rounds take turns, so that both servers see the same machine. */
const compare = async (
  { name, shape, goal }: (typeof CASES)[number],
  { load, bare, app, accounts }: Field,
): Promise<Row> => {
  const measure = async (port: number, ms: number): Promise<number> =>
    (await load.send({ port, shapes: [shape], accounts, connections: CONNECTIONS, extent: { ms } })).perSecond
  for (const port of [bare, app]) await measure(port, WARM_MS)
  const [limits, values]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    limits.push(await measure(bare, MEASURED_MS))
    values.push(await measure(app, MEASURED_MS))
  }
  const limitName = 'bare node:http making the same checks'
  return atLeast({
    name,
    unit: 'requests/s',
    limitName,
    goal,
    value: median(values),
    limit: median(limits),
    ratio: medianRatio(values, limits),
  })
}

/** Stands for a stock that the stock job has derived ahead: the contents of an address do not matter to a request. */
const fillStock = async (db: Db): Promise<void> => {
  await sql`insert into address_stock(family, derivation_index, address)
    select 'EVM', 1000000 + n, '0x' || substr(encode(sha256(n::text::bytea), 'hex'), 1, 40) from generate_series(1, ${STOCK}::int) n`.execute(
    db,
  )
  await sql`analyze address_stock`.execute(db)
}

/** The derivation that the stock saves a request. */
const derivation = (): Row => {
  const count = 300
  const startedAt = performance.now()
  for (let n = 0; n < count; n += 1) depositAddress(TEST_KEYS, 'EVM', n)
  const perSecond = count / ((performance.now() - startedAt) / 1_000)
  return reported('edge: deriving an EVM address', perSecond, 'addresses/s', 'derived before the requests')
}

/** Every address has one owner, and none was derived on the way. */
const checkAddresses = async (db: Db): Promise<void> => {
  const { rows } = await sql<{ given: number; different: number; stock: number }>`
    select count(*) as given, count(distinct address) as different, (select count(*) from address_stock) as stock from addresses`.execute(
    db,
  )
  const { given, different, stock } = rows[0]!
  if (given !== different || given + stock !== STOCK)
    throw new Error(`addresses: ${given} given, ${different} different, ${stock} left of ${STOCK}`)
}

/** Every invoice that was answered for is there, and none has an address before its payer continues. */
const checkInvoices = async (db: Db): Promise<void> => {
  const { rows } = await sql<{
    count: number
    addressed: number
  }>`select count(*) as count, count(address) as addressed from crypto_invoices`.execute(db)
  if (rows[0]!.count === 0 || rows[0]!.addressed > 0)
    throw new Error(`invoices: ${rows[0]!.count} made, ${rows[0]!.addressed} with an address`)
}

if (import.meta.main) await report(run)

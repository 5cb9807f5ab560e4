import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type pg from 'pg'
import pino from 'pino'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { uuidv7 } from '../../server/src/platform/base/id.ts'
import { createDb, createPool, migrate, type Db } from '../../server/src/platform/db/index.ts'
import { createClock } from '../../server/src/platform/runtime/clock.ts'
import type { Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { createDatabase } from '../server.ts'

export interface BenchDatabase {
  db: Db
  pool: pg.Pool
  runtime: Runtime
  /** some of its deposit addresses, spread over all of them */
  ours: string[]
}

const SAMPLE = 20_000

/** Creates a database on the server, with the given number of deposit addresses of 1,000 merchants. */
export const createBenchDatabase = async (server: string, name: string, addresses: number): Promise<BenchDatabase> => {
  const url = await createDatabase(server, name)
  await migrate(url)
  await fillAddresses(url, addresses)
  const pool = createPool({ url, applicationName: 'bursar bench watch' })
  const db = createDb(pool)
  const runtime: Runtime = {
    db,
    clock: createClock(),
    newId: () => uuidv7(Date.now(), randomBytes(10)),
    log: pino({ enabled: false }),
  }
  const step = Math.max(1, Math.floor(addresses / SAMPLE))
  const { rows } = await sql<{ address: string }>`
    select address from addresses where derivation_index % ${step} = 0`.execute(db)
  return { db, pool, runtime, ours: rows.map(({ address }) => address) }
}

/** Keys and indexes are made after the rows, as a bulk load does. */
const fillAddresses = (url: string, count: number): Promise<unknown> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ indexdef: string; indexname: string }>(
      `select indexdef, indexname from pg_indexes where tablename = 'addresses' and indexname <> 'addresses_pkey'`,
    )
    await client.query('alter table addresses drop constraint addresses_pkey')
    for (const { indexname } of rows) await client.query(`drop index ${indexname}`)
    await client.query(`set synchronous_commit = off; set maintenance_work_mem = '512MB'`)
    await client.query(`
      insert into addresses(merchant_id, id, family, blockchain, address, derivation_index, meta, created_at)
      select ('00000000-0000-4000-8000-' || lpad(to_hex(i % 1000), 12, '0'))::uuid, gen_random_uuid(), 'EVM',
        'ETHEREUM', '0x' || md5('address ' || i) || '00000000', i, 'customer-' || i, now()
      from generate_series(0, ${count - 1}) i`)
    await client.query('alter table addresses add primary key (merchant_id, id)')
    for (const { indexdef } of rows) await client.query(indexdef)
    await client.query('vacuum analyze addresses')
    return client.query('checkpoint')
  })

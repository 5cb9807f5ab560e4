import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import type pg from 'pg'
import { DatabaseClient, SERVER_SIDE } from './client.ts'
import { makeEventPartitions } from './partitions.ts'

const FOLDER = new URL('./migrations/', import.meta.url)
/** Any number, the same in every process: only one of them migrates at a time. */
const LOCK = 7_262_635_000

interface Migration {
  name: string
  sql: string
  checksum: string
}

/**
 * The migrations of this build in order. Names are `NNNN-what.sql`, each number once: what is made side by side has
 * ranges of its own, and one that comes later may have a lower number.
 */
export const readMigrations = async (): Promise<Migration[]> => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name, i) => {
      const number = name.slice(0, 5)
      if (!/^\d{4}-$/.test(number) || names[i - 1]?.startsWith(number))
        throw new Error(`a migration needs a number of its own: ${name}`)
      const sql = await readFile(new URL(name, FOLDER), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * Brings a database to this build's schema, forward only, each file in its own transaction. Refuses a database that has
 * a migration this build does not know, or one whose text has changed since it ran. Then makes the partitions of months
 * to come.
 * @returns names of the migrations that ran now
 */
export const migrate = async (url: string): Promise<string[]> => {
  const migrations = await readMigrations()
  const client = await connect(url)
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await client.query(`create table if not exists schema_migrations(
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
    const done = await client.query<{ name: string; checksum: string }>('select name, checksum from schema_migrations')
    const known = new Map(migrations.map((m) => [m.name, m.checksum]))
    for (const row of done.rows) {
      if (!known.has(row.name)) throw new Error(`the database is newer than this build: it has ${row.name}`)
      if (known.get(row.name) !== row.checksum) throw new Error(`${row.name} has changed since it ran on this database`)
    }
    const applied = new Set(done.rows.map((row) => row.name))
    const ran: string[] = []
    for (const migration of migrations) {
      if (applied.has(migration.name)) continue
      await client.query('begin')
      await client.query(migration.sql)
      await client.query('insert into schema_migrations(name, checksum) values ($1, $2)', [
        migration.name,
        migration.checksum,
      ])
      await client.query('commit')
      ran.push(migration.name)
    }
    await makeEventPartitions(client)
    return ran
  } finally {
    await client.end()
  }
}

/** Throws unless the database has exactly the migrations of this build; roles check it before they serve. */
export const requireMigrated = async (url: string): Promise<void> => {
  const wanted = (await readMigrations()).map((m) => m.name)
  const client = await connect(url)
  try {
    const rows = await client.query<{ name: string }>('select name from schema_migrations order by name')
    const have = rows.rows.map((row) => row.name)
    if (wanted.join() === have.join()) return
    throw new Error(
      `the database schema is not this build's: run \`bursar migrate\` (it has ${have.at(-1) ?? 'nothing'})`,
    )
  } finally {
    await client.end()
  }
}

const connect = async (url: string): Promise<pg.Client> => {
  const client = new DatabaseClient({ connectionString: url, application_name: 'bursar migrate', options: SERVER_SIDE })
  await client.connect()
  return client
}

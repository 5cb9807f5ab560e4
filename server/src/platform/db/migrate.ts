import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { DatabaseClient, SERVER_SIDE } from './client.ts'
import { isLocked, type Db, type Tx } from './database.ts'
import { makeEventPartitions } from './partitions.ts'
import { requireNoPooler } from './pooler.ts'

const FOLDER = new URL('./migrations/', import.meta.url)
/** Key of the advisory lock: only one process migrates at a time. Any number, the same in every process. */
const LOCK = 7_262_635_000

interface Migration {
  name: string
  sql: string
  checksum: string
}

/** Names of older migrations, from before names contained times. */
const NUMBERED = /^(\d{4})-[a-z0-9-]+\.sql$/
const LAST_NUMBER = 193
/** `202611241210-what.sql`: with the UTC minute of writing. `npm run migration -- what` creates such a file. */
const TIMED = /^20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])[0-5]\d-[a-z0-9-]+\.sql$/

const isName = (name: string): boolean => {
  const number = NUMBERED.exec(name)?.[1]
  return number === undefined ? TIMED.test(name) : Number(number) <= LAST_NUMBER
}

/** @throws Error for a name of neither form */
const readNames = async (folder: URL): Promise<string[]> => {
  // Sorted by code unit, independent of the locale of this machine and of the database.
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  const wrong = names.find((name) => !isName(name))
  if (wrong !== undefined)
    throw new Error(`name a migration by its time, as \`npm run migration -- what\` does, and not ${wrong}`)
  return names
}

/**
 * The migrations of this build in the order of names: first those with numbers, then those with times. A migration
 * merged from another branch may have an earlier time than applied ones; `migrate` still runs it.
 * @throws Error for a name of neither form
 */
export const readMigrations = async (folder: URL = FOLDER): Promise<Migration[]> =>
  Promise.all(
    (await readNames(folder)).map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )

/** The first line of a file that runs outside a transaction, statement by statement. */
const OUTSIDE = '-- outside a transaction\n'
/** Maximum wait of a migration for a lock, because other sessions that use the table wait behind it. */
const LOCK_WAIT_MS = 5_000

/**
 * Migrates a database to this build's schema, forward only, each file in its own transaction. A file that begins with
 * the line `-- outside a transaction` has statements that can't run in one (`create index concurrently`); each must be
 * repeatable. Refuses a database with a migration that this build does not have, or whose text has changed since it
 * ran. Then creates the partitions of the coming months.
 * @returns names of the migrations that ran now
 * @throws Error when a migration waits too long for a lock; that migration is rolled back
 */
export const migrate = async (
  url: string,
  { folder = FOLDER, lockWaitMs = LOCK_WAIT_MS }: { folder?: URL; lockWaitMs?: number } = {},
): Promise<string[]> => {
  const migrations = await readMigrations(folder)
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
      if (migration.sql.startsWith(OUTSIDE)) await runOutside(client, migration)
      else await runInside(client, migration, lockWaitMs)
      ran.push(migration.name)
    }
    await makeEventPartitions(client)
    return ran
  } finally {
    await client.end()
  }
}

const runInside = async (client: pg.Client, migration: Migration, lockWaitMs: number): Promise<void> => {
  await client.query('begin')
  await client.query(`set local lock_timeout = ${lockWaitMs}`)
  try {
    await client.query(migration.sql)
  } catch (error) {
    if (!isLocked(error)) throw error
    throw new Error(
      `${migration.name} waited ${lockWaitMs} ms for a lock that another session holds, and did nothing: run \`bursar migrate\` again, or stop the roles first`,
      { cause: error },
    )
  }
  await record(client, migration)
  await client.query('commit')
}

const runOutside = async (client: pg.Client, migration: Migration): Promise<void> => {
  for (const statement of migration.sql.split(/;\s*$/m)) await client.query(statement)
  // A failed build leaves an invalid index, which `if not exists` of a repetition would accept.
  const { rows } = await client.query<{ name: string }>(`select c.relname::text as name from pg_index i
    join pg_class c on c.oid = i.indexrelid and c.relkind = 'i'
    where not i.indisvalid and c.relnamespace = 'public'::regnamespace order by 1`)
  if (rows[0])
    throw new Error(
      `the index ${rows[0].name} was not built whole: \`drop index concurrently ${rows[0].name}\`, then run \`bursar migrate\` again`,
    )
  await record(client, migration)
}

const record = async (client: pg.Client, { name, checksum }: Migration): Promise<void> => {
  await client.query('insert into schema_migrations(name, checksum) values ($1, $2)', [name, checksum])
}

/** Throws unless the database has exactly the migrations of this build. Roles call it before they serve. */
export const requireMigrated = async (url: string): Promise<void> => {
  const wanted = await readNames(FOLDER)
  await requireNoPooler(url)
  const client = await connect(url)
  try {
    const rows = await client.query<{ name: string }>('select name from schema_migrations')
    const have = rows.rows.map((row) => row.name).toSorted()
    if (wanted.join() === have.join()) return
    throw new Error(
      `the database schema is not this build's: run \`bursar migrate\` (it has ${have.at(-1) ?? 'nothing'})`,
    )
  } finally {
    await client.end()
  }
}

/** When the first migration ran: the age of the installation. */
export const firstMigrationAt = async (db: Db | Tx): Promise<Date> => {
  const { rows } = await sql<{
    at: Date
  }>`select applied_at as at from schema_migrations order by applied_at limit 1`.execute(db)
  return rows[0]!.at
}

const connect = async (url: string): Promise<pg.Client> => {
  const client = new DatabaseClient({ connectionString: url, application_name: 'bursar migrate', options: SERVER_SIDE })
  await client.connect()
  return client
}

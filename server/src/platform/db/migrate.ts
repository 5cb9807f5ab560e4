import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { watchBlockers } from './blocking.ts'
import { DatabaseClient, SERVER_SIDE } from './client.ts'
import { isLocked, mayRetry, type Db, type Tx } from './database.ts'
import { makeEventPartitions } from './partitions.ts'
import { requireNoPooler } from './pooler.ts'

const FOLDER = new URL('./migrations/', import.meta.url)
/** Key of the advisory lock: only one process migrates at a time. Any number, the same in every process. */
const LOCK = 7_262_635_000

interface Migration {
  name: string
  sql: string
  checksum: string
  /** true: a build that lacks this migration must not run after it */
  contracts: boolean
}

/**
 * The line of a migration that removes something which older builds use: `-- contract after 0.2.0`. The release that it
 * names is the first one that does not use it (decision 204). A migration without this line expands the schema: builds
 * that lack it go on.
 */
export const CONTRACT = /^-- contract after (\d+\.\d+\.\d+)$/m

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
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex'), contracts: CONTRACT.test(sql) }
    }),
  )

/** The first line of a file that runs outside a transaction, statement by statement. */
const OUTSIDE = '-- outside a transaction\n'
/** Maximum wait of a migration for a lock, because other sessions that use the table wait behind it. */
const LOCK_WAIT_MS = 5_000
/** Attempts of one migration. Between them the sessions that waited behind it have their turn. */
const TRIES = 10
const PAUSE_MS = 1_000

interface Migrating {
  folder?: URL
  lockWaitMs?: number
  tries?: number
  pauseMs?: number
  /** gets a sentence about each wait: which migration, which session blocks it */
  report?: (sentence: string) => void
}

/**
 * Migrates a database to this build's schema, forward only, each file in its own transaction. A file that begins with
 * the line `-- outside a transaction` has statements that can't run in one (`create index concurrently`); each must be
 * repeatable. Refuses a database with a migration that this build does not have, or whose text has changed since it
 * ran. Then creates the partitions of the coming months.
 * @returns names of the migrations that ran now
 * @throws Error when a migration waits too long for a lock at each attempt; it is rolled back, and the error names the
 *   session that holds the lock
 */
export const migrate = async (url: string, { folder = FOLDER, ...how }: Migrating = {}): Promise<string[]> => {
  const migrations = await readMigrations(folder)
  const client = await connect(url)
  const watching = await connect(url)
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    const applied = await readApplied(client, migrations)
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const session = { client, watching, pid: rows[0]!.pid }
    const ran: string[] = []
    for (const migration of migrations) {
      if (applied.has(migration.name)) continue
      if (migration.sql.startsWith(OUTSIDE)) await runOutside(session, migration, how)
      else await runInside(session, migration, how)
      ran.push(migration.name)
    }
    await makeEventPartitions(client)
    return ran
  } finally {
    await Promise.all([client.end(), watching.end()])
  }
}

/** @throws Error for a database that is newer than this build, or whose migrations had another text */
const readApplied = async (client: pg.Client, migrations: readonly Migration[]): Promise<Set<string>> => {
  await client.query(`create table if not exists schema_migrations(
    name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
  // Looked for first: `alter table` locks out the roles that start, even if the column exists.
  const column = await client.query(`select from information_schema.columns
    where table_schema = 'public' and table_name = 'schema_migrations' and column_name = 'contracts'`)
  if (column.rowCount === 0)
    await client.query('alter table schema_migrations add column contracts boolean not null default false')
  const done = await client.query<{ name: string; checksum: string }>('select name, checksum from schema_migrations')
  const known = new Map(migrations.map((m) => [m.name, m.checksum]))
  for (const row of done.rows) {
    if (!known.has(row.name)) throw new Error(`the database is newer than this build: it has ${row.name}`)
    if (known.get(row.name) !== row.checksum) throw new Error(`${row.name} has changed since it ran on this database`)
  }
  return new Set(done.rows.map((row) => row.name))
}

interface Session {
  client: pg.Client
  /** a second connection, which sees what the first one waits for */
  watching: pg.Client
  /** of the first one */
  pid: number
}

const runInside = async (
  { client, watching, pid }: Session,
  migration: Migration,
  { lockWaitMs = LOCK_WAIT_MS, tries = TRIES, pauseMs = PAUSE_MS, report = () => {} }: Migrating,
): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    const watch = watchBlockers(watching, pid, lockWaitMs / 4)
    try {
      await client.query('begin')
      await client.query(`set local lock_timeout = ${lockWaitMs}`)
      await client.query(migration.sql)
      await record(client, migration)
      await client.query('commit')
      return
    } catch (error) {
      if (!isLocked(error) && !mayRetry(error)) throw error
      await client.query('rollback')
      await watch.end()
      const waited = `${migration.name} waited ${lockWaitMs} ms for a lock that ${watch.seen || 'another session'} holds`
      if (attempt >= tries)
        throw new Error(
          `${waited}, and did nothing in ${tries} attempts: end that session or wait for it, and run \`bursar migrate\` again`,
          { cause: error },
        )
      report(`${waited}: attempt ${attempt + 1} of ${tries} follows`)
    } finally {
      await watch.end()
    }
    await sleep(pauseMs)
  }
}

/** Statements outside a transaction let others use the table while they wait, so that their wait has no limit. */
const runOutside = async (
  { client, watching, pid }: Session,
  migration: Migration,
  { lockWaitMs = LOCK_WAIT_MS, report = () => {} }: Migrating,
): Promise<void> => {
  const watch = watchBlockers(watching, pid, lockWaitMs, (blockers) =>
    report(`${migration.name} waits for the transaction of ${blockers}; the tables stay in use meanwhile`),
  )
  try {
    for (const statement of migration.sql.split(/;\s*$/m)) await client.query(statement)
  } finally {
    await watch.end()
  }
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

const record = async (client: pg.Client, { name, checksum, contracts }: Migration): Promise<void> => {
  await client.query('insert into schema_migrations(name, checksum, contracts) values ($1, $2, $3)', [
    name,
    checksum,
    contracts,
  ])
}

/**
 * Checks that this build can run on the database: it has all migrations of this build, and every further one expands
 * the schema. Roles call it before they serve, so a role of the previous release can restart while its successors are
 * installed.
 * @returns names of the further migrations, of newer builds
 * @throws Error for a database that lacks a migration, or that a newer build has contracted
 */
export const requireMigrated = async (url: string): Promise<string[]> => {
  const wanted = await readNames(FOLDER)
  await requireNoPooler(url)
  const client = await connect(url)
  try {
    // Through JSON, because a database that an older build has migrated lacks the column.
    const { rows } = await client.query<{ name: string; contracts: boolean }>(
      `select name, coalesce((to_jsonb(m) ->> 'contracts')::boolean, false) as contracts from schema_migrations m`,
    )
    const have = new Set(rows.map((row) => row.name))
    const missing = wanted.find((name) => !have.has(name))
    if (missing !== undefined)
      throw new Error(`the database schema is not this build's: run \`bursar migrate\` (it lacks ${missing})`)
    const known = new Set(wanted)
    const further = rows.filter((row) => !known.has(row.name))
    const contracted = further.find((row) => row.contracts)
    if (contracted !== undefined)
      throw new Error(
        `this build is too old for the database: ${contracted.name} removed what it uses. Install the release that migrated the database`,
      )
    return further.map((row) => row.name).toSorted()
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

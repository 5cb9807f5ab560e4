/** The rows of a database at one moment, to which it returns as often as wanted. */
import { sql } from 'kysely'
import type { Db } from '../../server/src/platform/db/index.ts'
import type { PreparedDb } from './prepared.ts'

export interface Snapshot {
  /** Restores every table. No other connection may use the database meanwhile; sequences are not restored. */
  restore(): Promise<void>
}

/** Copies every table with rows into the schema `name`, in place of an earlier copy. */
export const takeSnapshot = async ({ db, withoutTriggers }: PreparedDb, name: string): Promise<Snapshot> => {
  const tables = await tablesOf(db)
  for (const text of [`drop schema if exists ${name} cascade`, `create schema ${name}`]) await sql.raw(text).execute(db)
  const restoring: string[] = []
  for (const { table, columns } of tables) {
    restoring.push(`delete from public.${table};`)
    const { rows } = await sql.raw<{ some: boolean }>(`select exists (select from public.${table}) as some`).execute(db)
    if (!rows[0]!.some) continue
    await sql.raw(`create table ${name}.${table} as table public.${table}`).execute(db)
    restoring.push(
      `insert into public.${table} (${columns}) overriding system value select ${columns} from ${name}.${table};`,
    )
  }
  // One statement for the server: parsed once for each session.
  const body = `create function ${name}.restore() returns void language plpgsql as $$ begin ${restoring.join(' ')} end $$`
  await sql.raw(body).execute(db)
  const call = sql.raw(`select ${name}.restore()`)
  return { restore: async () => void (await call.execute(withoutTriggers)) }
}

interface Table {
  table: string
  /** those that can be written, quoted */
  columns: string
}

/** Tables with rows of their own: partitions, not partitioned tables. */
const tablesOf = async (db: Db): Promise<Table[]> => {
  const { rows } = await sql<Table>`select quote_ident(c.relname) as table,
      string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'
    group by c.oid, c.relname order by c.relname`.execute(db)
  return rows
}

/** Copies of all rows of a database, by which a test brings it back to an earlier time, as a restored backup does. */
import { sql } from 'kysely'
import type { Db } from '../../server/src/platform/db/index.ts'
import { withoutTriggers } from './unguarded.ts'

/**
 * Copies the rows of all tables.
 * @returns replaces all rows by the copied ones
 */
export const copyRows = async (db: Db): Promise<() => Promise<void>> => {
  const { rows: tables } = await sql<{ name: string; columns: string }>`select c.relname as name,
      string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' group by c.relname`.execute(db)
  const all = (statementOf: (table: { name: string; columns: string }) => string): Promise<void> =>
    withoutTriggers(db, (tx) => sql.raw(`do $$ begin ${tables.map(statementOf).join(' ')} end $$`).execute(tx))
  await sql`drop schema if exists copied cascade`.execute(db)
  await sql`create schema copied`.execute(db)
  await all(({ name, columns }) => `create table copied.${name} as select ${columns} from public.${name};`)
  return async () => {
    await all(({ name }) => `delete from public.${name};`)
    // Raw: a restored backup replaces every row.
    await all(
      ({ name, columns }) =>
        `insert into public.${name} (${columns}) overriding system value select ${columns} from copied.${name};`,
    )
  }
}

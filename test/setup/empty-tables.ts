/** Empties a database between worlds of one test file, each of which has a chain, and so books, of its own. */
import { sql } from 'kysely'
import type { Db } from '../../server/src/platform/db/index.ts'
import { withoutTriggers } from './unguarded.ts'

/** All tables but those that a new installation has filled. */
export const emptyTables = async (db: Db): Promise<void> => {
  const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = 'public' and tablename not in ('schema_migrations', 'business_clock')`.execute(db)
  // Rows are deleted: truncating makes new files for each table and index, which takes a hundred times as long for a
  // few rows. Append-only tables keep their triggers.
  await withoutTriggers(db, (tx) =>
    sql.raw(`do $$ begin ${rows.map(({ name }) => `delete from ${name};`).join(' ')} end $$`).execute(tx),
  )
}

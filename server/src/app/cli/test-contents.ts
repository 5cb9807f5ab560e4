/** Digests of all tables, to see that a command changed nothing. Only tests of this module use it. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/**
 * The contents of all tables, as the count of rows and a digest of each table. A row that was written again, even
 * unchanged, changes the digest (`xmin`).
 *
 * @param except tables that a command may write
 */
export const contentsOf = async (db: Db, except: readonly string[] = []): Promise<unknown> => {
  const { rows: tables } = await sql<{ name: string }>`select quote_ident(relname) as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and not relname = any(${[...except]}::text[]) order by 1`.execute(
    db,
  )
  const each = tables.map(
    ({ name }) => `select '${name}' as "table", count(*) as rows,
      md5(coalesce(string_agg(t.xmin::text || t::text, ',' order by t::text), '')) as digest from ${name} t`,
  )
  return (await sql.raw(`${each.join(' union all ')} order by 1`).execute(db)).rows
}

import { sql } from 'kysely'
import type { Db } from '../../server/src/platform/db/index.ts'

/**
 * Makes every change of one row fail, as a defect that only this row meets would: to see that it keeps no other
 * waiting.
 * @returns the function that removes the poison again
 */
export const poison = async (db: Db, table: string, id: string): Promise<() => Promise<void>> => {
  const name = `poison_${id.replaceAll('-', '_')}`
  await sql`create function ${sql.id(name)}() returns trigger language plpgsql as $$ begin raise exception 'poisoned'; end $$`.execute(
    db,
  )
  await sql`create trigger ${sql.id(name)} before update on ${sql.id(table)} for each row when (old.id = ${sql.lit(id)}) execute function ${sql.id(name)}()`.execute(
    db,
  )
  return async () => {
    await sql`drop function ${sql.id(name)}() cascade`.execute(db)
  }
}

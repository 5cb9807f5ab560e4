/** Waits of PostgreSQL: a test in which two transactions meet goes on once one of them waits for the other. */
import { sql } from 'kysely'
import type { Db } from '../../server/src/platform/db/index.ts'

/** Returns how many sessions of this database wait for a lock. */
export const lockWaiters = async (db: Db): Promise<number> => {
  const { rows } =
    await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length
}

/** Whether a session of this database waits for a lock. */
export const isWaitingForLock = async (db: Db): Promise<boolean> => (await lockWaiters(db)) > 0

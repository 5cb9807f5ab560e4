/**
 * Changes rows that triggers guard, as only a superuser can: for tests of books that were tampered with, or that
 * nothing posted.
 */
import { sql } from 'kysely'
import { inTransaction, type Db, type Tx } from '../../server/src/platform/db/index.ts'

/** Runs database work in one transaction in which no trigger fires. */
export const withoutTriggers = async (db: Db, work: (tx: Tx) => Promise<unknown>): Promise<void> => {
  await inTransaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await work(tx)
  })
}

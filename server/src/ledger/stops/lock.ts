import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'

/**
 * Any number, the same in every process. A transaction that plans a payment or asks for a signature holds the lock
 * shared, one that makes a stop alone.
 */
const LOCK = 7_262_635_012

/** Until the end of the transaction no stop is made: what it reads of stops is true when it acts on it. */
export const holdStops = async (tx: Tx): Promise<void> => {
  await sql`select pg_advisory_xact_lock_shared(${LOCK})`.execute(tx)
}

/** Waits until every transaction that holds the stops has ended; later ones see what this transaction does. */
export const changeStops = async (tx: Tx): Promise<void> => {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
}

import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'

/**
 * An arbitrary lock key, the same in every process. Transactions that plan a payment or request a signature hold the
 * lock shared; one that creates a stop holds it exclusively.
 */
const LOCK = 7_262_635_012

/** Prevents new stops until the transaction ends, so that the stops it has read stay complete. */
export const holdStops = async (tx: Tx): Promise<void> => {
  await sql`select pg_advisory_xact_lock_shared(${LOCK})`.execute(tx)
}

/** Waits for all transactions that called `holdStops`; later ones see the changes of this transaction. */
export const changeStops = async (tx: Tx): Promise<void> => {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
}

import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'
import type { Session } from './sessions.ts'

/** A dangerous change needs a proof within the last five minutes that the person is there. */
export class ProofNeeded extends Error {
  override name = 'ProofNeeded'
}

/** Throws ProofNeeded for a session without a recent proof. */
export const requireProof = ({ isProved }: Session): void => {
  if (!isProved) throw new ProofNeeded('the session has no recent proof')
}

/**
 * Throws ProofNeeded if the session has ended since it was read. A reset of the person's access waits for the end of
 * the transaction, and then removes what it has stored.
 */
export const requireOpen = async (tx: Tx, { id }: Session): Promise<void> => {
  const { rows } = await sql`select from dashboard_sessions where id = ${id} and ended_at is null for update`.execute(
    tx,
  )
  if (rows.length === 0) throw new ProofNeeded('the session has ended')
}

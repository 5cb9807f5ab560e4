/** Commands of a member for a merchant: the checks before each, and the record after it. */
import type { Tx } from '../../platform/db/index.ts'
import { actorOf, record } from './audit.ts'
import type { Now } from './now.ts'
import { authorise, type Action } from './permissions.ts'
import { requireOpen, requireProof } from './proofs.ts'
import type { Session } from './sessions.ts'

/**
 * Checks that the person of a session may carry out a command now, and locks the session, so that the session can't end
 * before the transaction. Runs in the transaction of the command. Throws NotAllowed or ProofNeeded.
 * @param asked `needsProof`: only with a proof within the last five minutes
 */
export const authoriseSession = async (
  tx: Tx,
  session: Session,
  { merchantId, action, needsProof }: { merchantId: string; action: Action; needsProof: boolean },
): Promise<void> => {
  await authorise(tx, { personId: session.person.id, action, merchantId })
  if (needsProof) requireProof(session)
  await requireOpen(tx, session)
}

/** Records an action of the person of a session for a merchant. `detail` has no secrets. */
export const recordOf = (
  tx: Tx,
  { person }: Session,
  { merchantId, action, detail }: { merchantId: string; action: string; detail: Readonly<Record<string, unknown>> },
  now: Now,
): Promise<void> => record(tx, { merchantId, personId: null, actor: actorOf(person.id), action, detail }, now)

import {
  actorOf,
  authoriseSession,
  notifyOwners,
  type Now,
  recordOf,
  type Session,
  wasRecorded,
} from '../../people/access/index.ts'
import type { Tx } from '../../platform/db/index.ts'

/**
 * Allows a member to take the archive of the merchant, records it, and mails the owners: once for each form, however
 * often it is sent. Throws NotAllowed or ProofNeeded.
 * @param given `formId`: of the form, a UUID; `agent`: the name of the browser for itself
 */
export const takeArchive = async (
  tx: Tx,
  session: Session,
  { merchantId, formId, agent }: { merchantId: string; formId: string; agent: string },
  now: Now,
): Promise<void> => {
  // It locks the session: a form that is sent twice at once is recorded once.
  await authoriseSession(tx, session, { merchantId, action: 'export-all', needsProof: true })
  const actor = actorOf(session.person.id)
  const action = 'took archive'
  if (await wasRecorded(tx, { merchantId, actor, action, form: formId }, now)) return
  await recordOf(tx, session, { merchantId, action, detail: { form: formId } }, now)
  await notifyOwners(tx, merchantId, { event: 'archive', detail: agent, by: session.person }, now)
}

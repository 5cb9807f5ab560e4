/** Commands of members about their merchant's notifications. Each checks the permission in its transaction. */
import { replayOnce, wakeMerchant, type Replayed } from '../../merchants/webhooks/index.ts'
import { actorOf, authorise, record, requireOpen, type Now, type Session } from '../../people/access/index.ts'
import type { Tx } from '../../platform/db/index.ts'

/** The most objects whose notifications one press of the button sends. */
const MOST_WOKEN = 1_000

/** Sends a notification again, once for each state of it that was shown. Throws NotAllowed or ProofNeeded. */
export const replayNotification = async (
  tx: Tx,
  session: Session,
  { merchantId, ...choice }: { merchantId: string; sequence: number; lastEpoch: number },
  now: Now,
): Promise<Replayed> => {
  await authorise(tx, { personId: session.person.id, action: 'replay-webhooks', merchantId })
  await requireOpen(tx, session)
  const replayed = await replayOnce(tx, merchantId, choice, now.moment)
  if (replayed === 'scheduled')
    await audited(tx, session, { merchantId, action: 'replayed webhook', detail: { sequence: choice.sequence } }, now)
  return replayed
}

/**
 * Sends the notifications of at most MOST_WOKEN waiting objects now. Throws NotAllowed or ProofNeeded.
 * @returns number of objects
 */
export const wakeWaiting = async (tx: Tx, session: Session, merchantId: string, now: Now): Promise<number> => {
  await authorise(tx, { personId: session.person.id, action: 'replay-webhooks', merchantId })
  await requireOpen(tx, session)
  const objects = await wakeMerchant(tx, merchantId, now.moment, MOST_WOKEN)
  if (objects > 0) await audited(tx, session, { merchantId, action: 'woke webhooks', detail: { objects } }, now)
  return objects
}

const audited = (
  tx: Tx,
  { person }: Session,
  { merchantId, action, detail }: { merchantId: string; action: string; detail: Readonly<Record<string, unknown>> },
  now: Now,
): Promise<void> => record(tx, { merchantId, personId: null, actor: actorOf(person.id), action, detail }, now)

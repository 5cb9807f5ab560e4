/** Commands of members about their merchant's notifications. Each checks the permission in its transaction. */
import { lockSettings, setSetting, settingsOf } from '../../merchants/accounts/index.ts'
import {
  askTest,
  findEndpoint,
  replayOnce,
  replayToEndpoint,
  wakeEndpoint,
  wakeMerchant,
  type AskedTest,
  type Replayed,
} from '../../merchants/webhooks/index.ts'
import { actorOf, authoriseSession, notifyOwners, type Now, recordOf, type Session } from '../../people/access/index.ts'
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
  await authoriseSession(tx, session, { merchantId, action: 'replay-webhooks', needsProof: false })
  const replayed = await replayOnce(tx, merchantId, choice, now.moment)
  if (replayed === 'scheduled')
    await recordOf(tx, session, { merchantId, action: 'replayed webhook', detail: { sequence: choice.sequence } }, now)
  return replayed
}

/**
 * Sends the notifications of at most MOST_WOKEN waiting objects now. Throws NotAllowed or ProofNeeded.
 * @returns number of objects
 */
export const wakeWaiting = async (tx: Tx, session: Session, merchantId: string, now: Now): Promise<number> => {
  await authoriseSession(tx, session, { merchantId, action: 'replay-webhooks', needsProof: false })
  const objects = await wakeMerchant(tx, merchantId, now.moment, MOST_WOKEN)
  if (objects > 0) await recordOf(tx, session, { merchantId, action: 'woke webhooks', detail: { objects } }, now)
  return objects
}

/**
 * Sends a notification again to one additional endpoint, once for each state of it that was shown. Throws NotAllowed or
 * ProofNeeded.
 */
export const replayNotificationTo = async (
  tx: Tx,
  session: Session,
  { merchantId, ...choice }: { merchantId: string; endpointId: string; sequence: number; lastEpoch: number },
  now: Now,
): Promise<Replayed> => {
  await authoriseSession(tx, session, { merchantId, action: 'replay-webhooks', needsProof: false })
  const { endpointId, sequence } = choice
  if ((await findEndpoint(tx, merchantId, endpointId)) === undefined) return 'unknown'
  const replayed = await replayToEndpoint(tx, merchantId, choice, now.moment)
  if (replayed === 'scheduled')
    await recordOf(tx, session, { merchantId, action: 'replayed webhook', detail: { sequence, endpointId } }, now)
  return replayed
}

/**
 * Sends the notifications of at most MOST_WOKEN objects that wait for an additional endpoint now. Throws NotAllowed or
 * ProofNeeded.
 * @returns number of objects; undefined: the merchant has no such endpoint
 */
export const wakeAdditional = async (
  tx: Tx,
  session: Session,
  { merchantId, endpointId }: { merchantId: string; endpointId: string },
  now: Now,
): Promise<number | undefined> => {
  await authoriseSession(tx, session, { merchantId, action: 'replay-webhooks', needsProof: false })
  if ((await findEndpoint(tx, merchantId, endpointId)) === undefined) return undefined
  const objects = await wakeEndpoint(tx, endpointId, now.moment, MOST_WOKEN)
  const detail = { objects, endpointId }
  if (objects > 0) await recordOf(tx, session, { merchantId, action: 'woke webhooks', detail }, now)
  return objects
}

/**
 * Asks the worker to send a test to an endpoint. Throws NotAllowed or ProofNeeded.
 * @param asked `id`: of the form, a UUID. `endpointId`: an additional endpoint; null: that of the settings
 */
export const sendTest = async (
  tx: Tx,
  session: Session,
  { merchantId, id, endpointId }: { merchantId: string; id: string; endpointId: string | null },
  now: Now,
): Promise<AskedTest | 'no-url'> => {
  await authoriseSession(tx, session, { merchantId, action: 'replay-webhooks', needsProof: false })
  const isReady =
    endpointId === null
      ? (await settingsOf(tx, merchantId)).notificationsUrl !== null
      : (await findEndpoint(tx, merchantId, endpointId))?.isOn === true
  if (!isReady) return 'no-url'
  const asked = await askTest(tx, { merchantId, id, endpointId }, now.moment)
  const detail = endpointId === null ? {} : { endpointId }
  if (asked === 'asked') await recordOf(tx, session, { merchantId, action: 'tested webhook', detail }, now)
  return asked
}

/**
 * - saved: it takes effect with the next notification
 * - unchanged: it was this URL already
 * - changed: it is no longer the URL that the form has shown
 * - wrong: it is no URL of an endpoint
 */
export type ChangedUrl = 'saved' | 'unchanged' | 'changed' | 'wrong'

/**
 * Changes the URL of a merchant's endpoint, and mails its owners. Throws NotAllowed or ProofNeeded.
 * @param given `url`: empty for none; `shown`: that which the form has shown
 */
export const changeUrl = async (
  tx: Tx,
  session: Session,
  { merchantId, url, shown }: { merchantId: string; url: string; shown: string },
  now: Now,
): Promise<ChangedUrl> => {
  await authoriseSession(tx, session, { merchantId, action: 'manage-webhooks', needsProof: true })
  const before = (await lockSettings(tx, merchantId)).notificationsUrl ?? ''
  if (before === url.trim()) return 'unchanged'
  if (before !== shown) return 'changed'
  const after = await setUrl(tx, session, { merchantId, url }, now)
  if (after === undefined) return 'wrong'
  if (after === before) return 'unchanged'
  await recordOf(tx, session, { merchantId, action: 'changed webhook URL', detail: { before, after } }, now)
  await notifyOwners(tx, merchantId, { event: 'webhook-url', detail: after, by: session.person }, now)
  return 'saved'
}

/** @returns the stored URL, empty for none; undefined if it is no URL of an endpoint */
const setUrl = async (
  tx: Tx,
  { person }: Session,
  { merchantId, url }: { merchantId: string; url: string },
  { moment }: Now,
): Promise<string | undefined> => {
  try {
    const given = { name: 'notificationsUrl', value: url }
    const { notificationsUrl } = await setSetting(tx, merchantId, given, { actor: actorOf(person.id) }, moment)
    return notificationsUrl ?? ''
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

import { lockSettings } from '../../merchants/accounts/index.ts'
import {
  logoHashes,
  removeLogo,
  showDraft,
  storeDraft,
  type Logo,
  type LogoState,
} from '../../merchants/logos/index.ts'
import { actorOf, authoriseSession, type Now, recordOf, type Session } from '../../people/access/index.ts'
import type { Tx } from '../../platform/db/index.ts'

/** `changed`: the logo is no longer the one of the form, and nothing was changed. */
type LogoResult = 'done' | 'changed'

/** A logo as a form has shown it. */
interface ShownLogo {
  merchantId: string
  hash: string
}

/**
 * Stores a logo as the draft of a merchant. Throws NotAllowed.
 * @returns same: payers see this logo already, and nothing was stored
 */
export const uploadLogo = async (
  tx: Tx,
  session: Session,
  { merchantId, logo }: { merchantId: string; logo: Logo },
  now: Now,
): Promise<'stored' | 'same'> => {
  await authoriseSession(tx, session, { merchantId, action: 'manage-settings', needsProof: false })
  const before = await lockedHashes(tx, merchantId)
  if (before.shown === logo.hash) return 'same'
  if (before.draft === logo.hash) return 'stored'
  await storeDraft(tx, logo, { merchantId, by: actorOf(session.person.id), at: now.real })
  await recordOf(tx, session, { merchantId, action: 'uploaded logo', detail: { hash: logo.hash } }, now)
  return 'stored'
}

/** The hashes of the logos, after other changes of the same merchant have ended. */
const lockedHashes = async (tx: Tx, merchantId: string): ReturnType<typeof logoHashes> => {
  await lockSettings(tx, merchantId)
  return logoHashes(tx, merchantId)
}

/** Shows the draft to payers. Throws NotAllowed or ProofNeeded. A repeated call changes nothing. */
export const publishLogo = async (
  tx: Tx,
  session: Session,
  { merchantId, hash }: ShownLogo,
  now: Now,
): Promise<LogoResult> => {
  await authoriseSession(tx, session, { merchantId, action: 'manage-settings', needsProof: true })
  const before = await lockedHashes(tx, merchantId)
  if (before.draft !== hash) return before.shown === hash ? 'done' : 'changed'
  await showDraft(tx, merchantId)
  const detail = { hash, ...(before.shown !== undefined && { replaced: before.shown }) }
  await recordOf(tx, session, { merchantId, action: 'published logo', detail }, now)
  return 'done'
}

type LogoCommand = (tx: Tx, session: Session, shown: ShownLogo, now: Now) => Promise<LogoResult>

const removing =
  (state: LogoState, { action, needsProof }: { action: string; needsProof: boolean }): LogoCommand =>
  async (tx, session, { merchantId, hash }, now) => {
    await authoriseSession(tx, session, { merchantId, action: 'manage-settings', needsProof })
    const present = (await lockedHashes(tx, merchantId))[state]
    if (present !== hash) return present === undefined ? 'done' : 'changed'
    await removeLogo(tx, merchantId, state)
    await recordOf(tx, session, { merchantId, action, detail: { hash } }, now)
    return 'done'
  }

/** Removes the logo that payers see. Throws NotAllowed or ProofNeeded. A repeated call changes nothing. */
export const removeShownLogo = removing('shown', { action: 'removed logo', needsProof: true })

/** Deletes the draft. Throws NotAllowed. A repeated call changes nothing. */
export const discardLogo = removing('draft', { action: 'discarded logo', needsProof: false })

/** Commands of members: invoices by hand, and payment links. Each checks the permission in its transaction. */
import { generalErrors } from '@bursar/contract'
import { serviceOf } from '../../merchants/accounts/index.ts'
import { authoriseSession, type Now, recordOf, type Session } from '../../people/access/index.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { LinkFields, NewLink } from './link.ts'
import { makeInvoice, type MakingSettings, type Wanted } from './making.ts'
import { once } from './once.ts'
import { countActive, insertLink, setStopped, updateLink } from './store.ts'

const LINK_TOKEN_BYTES = 16
/** Links of a merchant that can be used at the same time. Two forms at the same moment may exceed it by one. */
const MOST_ACTIVE = 1_000

/** The merchant has MOST_ACTIVE links that are neither stopped nor expired. */
export class TooManyLinks extends Error {}

const requireFewLinks = async (tx: Tx, merchantId: string, { moment }: Now): Promise<void> => {
  if ((await countActive(tx, merchantId, moment.at, MOST_ACTIVE)) >= MOST_ACTIVE) throw new TooManyLinks(merchantId)
}

/** Makes an invoice, once for each key of a form. Throws NotAllowed, ProofNeeded or an ApiRefusal. */
export const createInvoiceByHand = async (
  tx: Tx,
  session: Session,
  { wanted, key }: { wanted: Omit<Wanted, 'linkId'>; key: string },
  settings: MakingSettings,
  now: Now,
): Promise<{ id: string }> => {
  const { merchantId, kind } = wanted
  await authoriseSession(tx, session, { merchantId, action: 'create-invoices', needsProof: false })
  await requireActive(tx, merchantId)
  const submission = { merchantId, form: `invoice ${session.person.id}`, key, content: wanted }
  return once(tx, submission, now.moment.at, async () => {
    const { id } = await makeInvoice(tx, { ...wanted, linkId: null }, settings, now.moment)
    await recordOf(tx, session, { merchantId, action: 'created invoice', detail: { kind, id } }, now)
    return { id }
  })
}

/** Creates a payment link, once for each key of a form. Throws NotAllowed, ProofNeeded or TooManyLinks. */
export const createLink = async (
  tx: Tx,
  session: Session,
  { merchantId, link, key }: { merchantId: string; link: NewLink; key: string },
  random: (count: number) => Buffer,
  now: Now,
): Promise<{ id: string }> => {
  await authoriseSession(tx, session, { merchantId, action: 'create-invoices', needsProof: false })
  const submission = { merchantId, form: `link ${session.person.id}`, key, content: link }
  return once(tx, submission, now.moment.at, async () => {
    await requireFewLinks(tx, merchantId, now)
    const id = now.moment.newId()
    const token = random(LINK_TOKEN_BYTES).toString('base64url')
    await insertLink(tx, { ...link, merchantId, id, token, stoppedAt: null, createdAt: now.moment.at })
    await recordOf(tx, session, { merchantId, action: 'created link', detail: { id, ...link } }, now)
    return { id }
  })
}

/**
 * Changes a link for the invoices that are made afterwards. Throws NotAllowed or ProofNeeded.
 * @returns whether it exists
 */
export const changeLink = async (
  tx: Tx,
  session: Session,
  { merchantId, id, fields }: { merchantId: string; id: string; fields: LinkFields },
  now: Now,
): Promise<boolean> => {
  await authoriseSession(tx, session, { merchantId, action: 'create-invoices', needsProof: false })
  if (!(await updateLink(tx, { merchantId, id }, fields))) return false
  await recordOf(tx, session, { merchantId, action: 'changed link', detail: { id, ...fields } }, now)
  return true
}

/** Stops a link, or lets it be used again. Twice is once. Throws NotAllowed, ProofNeeded or TooManyLinks. */
export const stopLink = async (
  tx: Tx,
  session: Session,
  { merchantId, id, isStopped }: { merchantId: string; id: string; isStopped: boolean },
  now: Now,
): Promise<void> => {
  await authoriseSession(tx, session, { merchantId, action: 'create-invoices', needsProof: false })
  if (!isStopped) await requireFewLinks(tx, merchantId, now)
  if (!(await setStopped(tx, { merchantId, id }, isStopped ? now.moment.at : null))) return
  await recordOf(tx, session, { merchantId, action: isStopped ? 'stopped link' : 'started link', detail: { id } }, now)
}

/** Throws an ApiRefusal for a merchant that is leaving: it gets no new invoices (docs/operating/leaving.md). */
const requireActive = async (tx: Tx, merchantId: string): Promise<void> => {
  if ((await serviceOf(tx, merchantId)).state === 'active') return
  const { status, code } = generalErrors.conflict
  throw new ApiRefusal(status, code, 'the merchant is leaving: it gets no new invoices. Ask the operator')
}

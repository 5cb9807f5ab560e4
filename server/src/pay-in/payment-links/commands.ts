/** Commands of members: invoices by hand, and payment links. Each checks the permission in its transaction. */
import { generalErrors } from '@bursar/contract'
import { serviceOf } from '../../merchants/accounts/index.ts'
import { actorOf, authorise, record, requireOpen, type Now, type Session } from '../../people/access/index.ts'
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
  await allowed(tx, session, merchantId)
  await requireActive(tx, merchantId)
  const submission = { merchantId, form: `invoice ${session.person.id}`, key, content: wanted }
  return once(tx, submission, now.moment.at, async () => {
    const { id } = await makeInvoice(tx, { ...wanted, linkId: null }, settings, now.moment)
    await audited(tx, session, { merchantId, action: 'created invoice', detail: { kind, id } }, now)
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
  await allowed(tx, session, merchantId)
  const submission = { merchantId, form: `link ${session.person.id}`, key, content: link }
  return once(tx, submission, now.moment.at, async () => {
    await requireFewLinks(tx, merchantId, now)
    const id = now.moment.newId()
    const token = random(LINK_TOKEN_BYTES).toString('base64url')
    await insertLink(tx, { ...link, merchantId, id, token, stoppedAt: null, createdAt: now.moment.at })
    await audited(tx, session, { merchantId, action: 'created link', detail: { id, ...link } }, now)
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
  await allowed(tx, session, merchantId)
  if (!(await updateLink(tx, { merchantId, id }, fields))) return false
  await audited(tx, session, { merchantId, action: 'changed link', detail: { id, ...fields } }, now)
  return true
}

/** Stops a link, or lets it be used again. Twice is once. Throws NotAllowed, ProofNeeded or TooManyLinks. */
export const stopLink = async (
  tx: Tx,
  session: Session,
  { merchantId, id, isStopped }: { merchantId: string; id: string; isStopped: boolean },
  now: Now,
): Promise<void> => {
  await allowed(tx, session, merchantId)
  if (!isStopped) await requireFewLinks(tx, merchantId, now)
  if (!(await setStopped(tx, { merchantId, id }, isStopped ? now.moment.at : null))) return
  await audited(tx, session, { merchantId, action: isStopped ? 'stopped link' : 'started link', detail: { id } }, now)
}

const allowed = async (tx: Tx, session: Session, merchantId: string): Promise<void> => {
  await authorise(tx, { personId: session.person.id, action: 'create-invoices', merchantId })
  await requireOpen(tx, session)
}

/** Throws an ApiRefusal for a merchant that is leaving: it gets no new invoices (docs/operating/leaving.md). */
const requireActive = async (tx: Tx, merchantId: string): Promise<void> => {
  if ((await serviceOf(tx, merchantId)).state === 'active') return
  const { status, code } = generalErrors.conflict
  throw new ApiRefusal(status, code, 'the merchant is leaving: it gets no new invoices. Ask the operator')
}

const audited = (
  tx: Tx,
  { person }: Session,
  { merchantId, action, detail }: { merchantId: string; action: string; detail: Readonly<Record<string, unknown>> },
  now: Now,
): Promise<void> => record(tx, { merchantId, personId: null, actor: actorOf(person.id), action, detail }, now)

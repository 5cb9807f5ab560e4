/**
 * Commands: invoices that members make by hand, and payment links. A command of a member checks the permission in its
 * transaction; one of a signed request has the scope of its key.
 */
import { generalErrors, paymentLinks } from '@bursar/contract'
import { serviceOf } from '../../merchants/accounts/index.ts'
import { authoriseSession, type Now, recordOf, type Session } from '../../people/access/index.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { LinkFields, NewLink, PaymentLink } from './link.ts'
import { makeInvoice, type MakingSettings, type Wanted } from './making.ts'
import { once } from './once.ts'
import { countActive, findLink, insertLink, setStopped, updateLink } from './store.ts'

const LINK_TOKEN_BYTES = 16
/** Links of a merchant that can be used at the same time. Two forms at the same moment may exceed it by one. */
const MOST_ACTIVE = paymentLinks.active

/** The merchant has MOST_ACTIVE links that are neither stopped nor expired. */
export class TooManyLinks extends Error {}

/** The merchant is leaving: it gets no new invoices and links (docs/operating/leaving.md). */
export class MerchantLeaving extends ApiRefusal {
  constructor() {
    const { status, code } = generalErrors.conflict
    super(status, code, 'the merchant is leaving: it gets no new invoices. Ask the operator')
  }
}

/** Another link of the merchant has this localId. */
export class LocalIdTaken extends Error {}

const requireFewLinks = async (tx: Tx, merchantId: string, { at }: Moment): Promise<void> => {
  if ((await countActive(tx, merchantId, at, MOST_ACTIVE)) >= MOST_ACTIVE) throw new TooManyLinks(merchantId)
}

/**
 * Makes an invoice, once for each key of a form. Throws NotAllowed, ProofNeeded, MerchantLeaving or another ApiRefusal.
 */
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

interface NewLinkOf {
  merchantId: string
  /** of the API key that signed the request; null: a member makes it */
  keyId: string | null
  localId: string | null
  link: NewLink
}

/** Throws LocalIdTaken. */
const storeLink = async (
  tx: Tx,
  { merchantId, keyId, localId, link }: NewLinkOf,
  random: (count: number) => Buffer,
  moment: Moment,
): Promise<PaymentLink> => {
  const token = random(LINK_TOKEN_BYTES).toString('base64url')
  const made = { ...link, merchantId, id: moment.newId(), token, stoppedAt: null, createdAt: moment.at, localId }
  if (!(await insertLink(tx, made, keyId))) throw new LocalIdTaken(merchantId)
  return made
}

/**
 * Creates a payment link, once for each key of a form. Throws NotAllowed, ProofNeeded, TooManyLinks or
 * MerchantLeaving.
 */
export const createLink = async (
  tx: Tx,
  session: Session,
  { merchantId, link, key }: { merchantId: string; link: NewLink; key: string },
  random: (count: number) => Buffer,
  now: Now,
): Promise<{ id: string }> => {
  await authoriseSession(tx, session, { merchantId, action: 'create-invoices', needsProof: false })
  await requireActive(tx, merchantId)
  const submission = { merchantId, form: `link ${session.person.id}`, key, content: link }
  return once(tx, submission, now.moment.at, async () => {
    await requireFewLinks(tx, merchantId, now.moment)
    const { id } = await storeLink(tx, { merchantId, keyId: null, localId: null, link }, random, now.moment)
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

/**
 * Stops a link, or lets it be used again. Twice is once. Throws NotAllowed, ProofNeeded, TooManyLinks or
 * MerchantLeaving.
 */
export const stopLink = async (
  tx: Tx,
  session: Session,
  { merchantId, id, isStopped }: { merchantId: string; id: string; isStopped: boolean },
  now: Now,
): Promise<void> => {
  await authoriseSession(tx, session, { merchantId, action: 'create-invoices', needsProof: false })
  if (!isStopped) {
    await requireActive(tx, merchantId)
    await requireFewLinks(tx, merchantId, now.moment)
  }
  if (!(await setStopped(tx, { merchantId, id }, isStopped ? now.moment.at : null))) return
  await recordOf(tx, session, { merchantId, action: isStopped ? 'stopped link' : 'started link', detail: { id } }, now)
}

/**
 * Creates a payment link for a signed request. Throws TooManyLinks, LocalIdTaken or MerchantLeaving.
 */
export const createLinkByKey = async (
  tx: Tx,
  given: NewLinkOf,
  random: (count: number) => Buffer,
  moment: Moment,
): Promise<PaymentLink> => {
  await requireActive(tx, given.merchantId)
  await requireFewLinks(tx, given.merchantId, moment)
  return storeLink(tx, given, random, moment)
}

/** Stops a link for a signed request. Twice is once. @returns the link, if it exists */
export const disableLink = async (
  tx: Tx,
  key: { merchantId: string; id: string },
  { at }: Moment,
): Promise<PaymentLink | undefined> => {
  await setStopped(tx, key, at)
  return findLink(tx, key.merchantId, key.id)
}

const requireActive = async (tx: Tx, merchantId: string): Promise<void> => {
  if ((await serviceOf(tx, merchantId)).state !== 'active') throw new MerchantLeaving()
}

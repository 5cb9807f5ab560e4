import { companyOf } from '../../merchants/accounts/index.ts'
import { mailAddress, maskAddress, queueMails, type Queued } from '../../merchants/mail/index.ts'
import { authoriseSession, type Now, recordOf, type Session } from '../../people/access/index.ts'
import type { Language } from '../../platform/base/language.ts'
import type { Tx } from '../../platform/db/index.ts'
import { once } from './once.ts'

/** A page that a payer is sent: of a link, or of an invoice. */
export interface PageToMail {
  kind: 'link' | 'crypto' | 'card'
  id: string
  name: string
  /** null: the payer chooses it */
  amount: { value: string; ticker: string } | null
  url: string
}

/**
 * Mails a payment page to a payer, once for each key of a form. The text is ours; of the merchant's words it has the
 * names of the company and of the page. The audit log gets the masked address. Throws NotAllowed or ProofNeeded.
 * @param to an address as typed
 */
export const mailPage = async (
  tx: Tx,
  session: Session,
  {
    merchantId,
    page,
    to,
    language,
    key,
  }: { merchantId: string; page: PageToMail; to: string; language: Language; key: string },
  now: Now,
): Promise<Queued> => {
  await authoriseSession(tx, session, { merchantId, action: 'mail-payers', needsProof: false })
  const { kind, id, name, amount, url } = page
  const submission = { merchantId, form: `mail ${id} ${session.person.id}`, key, content: [to, language] }
  const { queued } = await once(tx, submission, now.moment.at, async () => {
    const data = { company: await companyOf(tx, merchantId), name, amount, pageUrl: url }
    const mail = { merchantId, about: id, to, language, kind: 'payment-request' as const, data }
    const [outcome] = await queueMails(tx, [mail], now.moment)
    const detail = { kind, id, to: maskAddress(mailAddress(to) ?? '') }
    if (outcome === 'queued') await recordOf(tx, session, { merchantId, action: 'mailed payment page', detail }, now)
    return { queued: outcome! }
  })
  return queued
}

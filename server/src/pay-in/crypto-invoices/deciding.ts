import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { companyOf } from '../../merchants/accounts/index.ts'
import { queueMails } from '../../merchants/mail/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { resolveAlert } from '../../platform/runtime/alerts.ts'
import { decideClaim, lockClaim, UNDECIDED, type ClaimKey, type ClaimLine } from './claims-store.ts'
import { isRegistered, type Registered } from './invoice.ts'
import { scaleOf } from './notice.ts'
import { pageUrl, type InvoiceSettings } from './settings.ts'
import { announce, lockById, write } from './store.ts'

/** Thrown if a claim can't be decided now. */
export class ClaimRefusal extends Error {
  override name = 'ClaimRefusal'
}

/** The withdrawal that pays an approved claim. Units are ledger units of the invoice's asset. */
export interface Refund {
  merchantId: string
  ticker: string
  blockchain: string
  to: string
  /** units credited to the merchant for the invoice; the receiver gets this minus the network fee */
  spend: bigint
  /** the same for an invoice in every copy of the database, so that it is refunded once */
  name: string
  meta: string | null
}

/**
 * The merchant refunds an underpaid invoice: an ordinary withdrawal pays the claim, and the invoice accepts no more
 * payments.
 * @param pay creates the withdrawal; if it throws, nothing is decided
 */
export const approveClaim = async (
  tx: Tx,
  key: ClaimKey,
  pay: (refund: Refund) => Promise<{ id: string; units: bigint }>,
  note: string | null,
  settings: Pick<InvoiceSettings, 'catalogue' | 'publicUrl'>,
  moment: Moment,
): Promise<{ withdrawalId: string }> => {
  const { claim, invoice } = await waiting(tx, key)
  const { merchantId, ticker, blockchain, paid, fee, meta } = invoice
  await write(tx, invoice, { refunded: true })
  const { id: withdrawalId, units } = await pay({
    merchantId,
    ticker,
    blockchain,
    to: claim.refundAddress,
    spend: paid - fee,
    meta,
    name: `refund:${invoice.id}`,
  })
  if (!(await decideClaim(tx, claim, { state: 'approved', units, withdrawalId, note }, moment.at)))
    throw new ClaimRefusal('it was decided meanwhile')
  await close(tx, invoice, claim, moment)
  // A payer who got that message gets the next one when the refund is sent.
  if (claim.state !== 'failed')
    await mailPayer(tx, invoice, claim, { answer: 'approved', refund: units, note, hash: null }, settings, moment)
  return { withdrawalId }
}

/** The merchant keeps the money. The payer gets the reason, and may ask again or pay the rest. */
export const refuseClaim = async (
  tx: Tx,
  key: ClaimKey,
  note: string | null,
  settings: Pick<InvoiceSettings, 'catalogue' | 'publicUrl'>,
  moment: Moment,
): Promise<void> => {
  const { claim, invoice } = await waiting(tx, key)
  if (!(await decideClaim(tx, claim, { state: 'refused', note }, moment.at)))
    throw new ClaimRefusal('it was decided meanwhile')
  // Nothing was refunded, so the invoice may be paid again.
  if (invoice.refunded) await write(tx, invoice, { refunded: false })
  await close(tx, invoice, claim, moment)
  await mailPayer(
    tx,
    invoice,
    claim,
    { answer: 'declined', refund: invoice.paid - invoice.fee, note, hash: null },
    settings,
    moment,
  )
}

/** Returns a waiting claim and its invoice, both locked. */
const waiting = async (tx: Tx, key: ClaimKey): Promise<{ claim: ClaimLine; invoice: Registered }> => {
  const found = await lockClaim(tx, key)
  if (!found) throw new ClaimRefusal('there is no such claim')
  const invoice = await lockById(tx, found.invoiceId)
  if (!UNDECIDED.includes(found.state)) throw new ClaimRefusal(`it is ${found.state} already`)
  if (!invoice || !isRegistered(invoice)) throw new Error(`claim ${key.id} is of no invoice that was ever paid`)
  if (invoice.state === 'paid') throw new ClaimRefusal('its invoice was paid or closed meanwhile: refuse it')
  return { claim: found, invoice }
}

const close = async (tx: Tx, invoice: Registered, claim: ClaimLine, { at }: Moment): Promise<void> => {
  await announce(tx, [invoice.id])
  await resolveAlert(tx, 'refund-claim', claim.id, at)
}

/** Mails the payer the outcome of a claim, if the address is known. `refund`: ledger units of the invoice's asset. */
export const mailPayer = async (
  tx: Tx,
  invoice: Registered,
  claim: ClaimLine,
  {
    answer,
    refund,
    note,
    hash,
  }: { answer: 'approved' | 'declined' | 'sent'; refund: bigint; note: string | null; hash: string | null },
  settings: Pick<InvoiceSettings, 'catalogue' | 'publicUrl'>,
  moment: Moment,
): Promise<void> => {
  const { id, merchantId, email, ticker, blockchain, units, description, name } = invoice
  if (email === null) return
  const scale = scaleOf(invoice, settings.catalogue)
  const data = {
    invoiceId: id,
    company: await companyOf(tx, merchantId),
    name,
    description,
    amount: formatUnits(units, scale),
    ticker,
    blockchain,
    answer,
    refund: formatUnits(refund, scale),
    refundAddress: claim.refundAddress,
    hash,
    note,
    pageUrl: pageUrl(settings, id),
  }
  await queueMails(
    tx,
    [
      {
        merchantId,
        // A refund that failed after it was sent is sent again, by another withdrawal.
        about: answer === 'sent' ? `${claim.id} ${answer} by ${claim.withdrawalId}` : `${claim.id} ${answer}`,
        to: email,
        language: invoice.language ?? 'en',
        kind: 'claim-answered',
        data,
      },
    ],
    moment,
  )
}

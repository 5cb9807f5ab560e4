import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import { claimOf, insertClaim } from './claims-store.ts'
import { requote } from './commands.ts'
import { isRegistered } from './invoice.ts'
import { PayerRefusal } from './refusal.ts'
import type { InvoiceSettings } from './settings.ts'
import { announce, lockById } from './store.ts'

/** The request of the payer of an expired, underpaid invoice about the money that arrived. */
export type Claim = 'payRest' | { refundAddress: string }

export interface ClaimSettings extends InvoiceSettings {
  /** returns the canonical form of an address that can receive money on that network, or undefined */
  destinationOf(network: string, address: string): string | undefined
}

/**
 * Carries out a request by the signed link of an underpaid invoice: to pay the rest at the same address, at a fresh
 * price if the last one is no longer valid; or to refund the money, which the merchant decides. Throws a PayerRefusal.
 */
export const claim = async (
  tx: Tx,
  id: string,
  token: string,
  wanted: Claim,
  settings: ClaimSettings,
  moment: Moment,
): Promise<Effects> => {
  const invoice = await lockById(tx, id)
  if (!invoice || !settings.claimTokens.isOf(id, token)) throw new PayerRefusal('token-refused')
  if (invoice.state === 'paid') throw new PayerRefusal('ended')
  if (invoice.state !== 'expired' || !isRegistered(invoice) || invoice.paid === 0n)
    throw new PayerRefusal('nothing-to-claim')
  const earlier = await claimOf(tx, invoice.merchantId, id)
  if (invoice.refunded || (earlier && earlier.state !== 'refused')) throw new PayerRefusal('claimed-already')
  if (wanted === 'payRest') {
    // A quote that is valid stays, so that the payer can't choose the best of many prices.
    const isQuoted = invoice.quote !== null && invoice.quote.until > moment.at
    const effects = isQuoted ? noEffects : await requote(tx, invoice, settings, moment)
    if (effects === undefined) throw new PayerRefusal('no-price')
    await announce(tx, [id])
    return effects
  }
  const refundAddress = settings.destinationOf(invoice.blockchain, wanted.refundAddress.trim())
  if (refundAddress === undefined) throw new PayerRefusal('address-invalid', 'refundAddress')
  const claimId = moment.newId()
  await insertClaim(tx, {
    merchantId: invoice.merchantId,
    id: claimId,
    invoiceId: id,
    refundAddress,
    requestedAt: moment.at,
  })
  const text = `The payer of invoice ${id} asks for a refund: run bursar claims approve ${claimId}, or bursar claims refuse ${claimId} NOTE`
  await raiseAlert(
    tx,
    { kind: 'refund-claim', subject: claimId, text, detail: { merchantId: invoice.merchantId, invoiceId: id } },
    moment,
  )
  await announce(tx, [id])
  return noEffects
}

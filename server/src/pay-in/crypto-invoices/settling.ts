import type { Moment } from '../../platform/base/moment.ts'
import { moveOf } from '../../platform/base/moves.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import type { Payment, Registered } from './invoice.ts'
import { invoiceMoves, type InvoiceEvent } from './machine.ts'
import { mailOf } from './mails.ts'
import { askedUnits, totalsOf, type Totals } from './matching.ts'
import { invoiceNotice, statusOf } from './notice.ts'
import { markNotified } from './payments.ts'
import { roundingOf, type Rounding } from './quoting.ts'
import type { InvoiceSettings } from './settings.ts'
import { shortfallOf } from './shortfall.ts'
import { announce, awaitPrice, move, write } from './store.ts'

/**
 * Updates an invoice to the sums of its payments, after any changes of them in any order: the sums, the requested
 * amount, and the resulting moves. The invoice is locked, and `payments` are all of them.
 */
export const settle = async (
  tx: Tx,
  before: Registered,
  payments: readonly Payment[],
  settings: InvoiceSettings,
  moment: Moment,
): Promise<Effects> => {
  const asset = settings.catalogue.findCrypto(before.ticker)
  const on = asset?.networks.get(before.blockchain)
  if (!asset || !on)
    throw new Error(
      `invoice ${before.id} is in ${before.ticker} on ${before.blockchain}, which the configured assets lack: list it again`,
    )
  const totals = totalsOf(payments, asset.scale)
  const changes = {
    paid: totals.paid,
    fee: totals.fee,
    paidBaseE18: totals.paidBaseE18,
    waiting: totals.waiting,
    waitingInTime: totals.waitingInTime,
    waitingMined: totals.waitingMined,
    units: unitsNow(before, totals, asset.scale, roundingOf(asset, on)),
  }
  let invoice = (await write(tx, before, changes)) as Registered
  if (invoice.state === 'registered' && payments.length > 0)
    invoice = (await move(tx, invoice, 'seen', {}, moment.at)) as Registered
  await announce(tx, [invoice.id])
  const isWhole = invoice.paid >= invoice.units && !totals.unvalued && !invoice.refunded
  if (moveOf(invoiceMoves, invoice.state, 'completed') !== undefined) {
    if (isWhole) return end(tx, invoice, 'completed', settings, moment)
    // While a payment is under way, it may bring the rest.
    const isJudged = totals.waiting === 0n && !totals.unvalued
    const shortfall = isJudged ? await shortfallOf(tx, invoice, invoice.paid, asset.scale, settings) : 'refused'
    if (shortfall === 'accepted') return end(tx, invoice, 'completed', settings, moment)
    if (shortfall === 'unpriced') await awaitPrice(tx, invoice)
  }
  // A payment after the end is an underpayment that the payer may complete or claim.
  if (invoice.state === 'expired' && invoice.paid > before.paid) await mailOf(tx, invoice, 'expired', settings, moment)
  return { items: [], notices: [] }
}

/** Returns the requested amount. A paid invoice requests nothing more, even if its payments change. */
const unitsNow = (invoice: Registered, totals: Totals, scale: number, rounding: Rounding): bigint => {
  const { base, quote, state } = invoice
  if (base === null || quote === null || state === 'paid' || totals.unvalued) return invoice.units
  return askedUnits({ base, quote }, totals, scale, rounding)
}

/** Ends an invoice, and notifies its merchant and its payer. */
export const end = async (
  tx: Tx,
  before: Registered,
  event: InvoiceEvent,
  settings: InvoiceSettings,
  moment: Moment,
): Promise<Effects> => {
  const effects = moveOf(invoiceMoves, before.state, event)?.effects ?? []
  const invoice = await move(tx, before, event, {}, moment.at)
  await markNotified(tx, invoice.merchantId, invoice.id)
  await mailOf(tx, invoice, invoice.state === 'paid' ? 'paid' : 'expired', settings, moment)
  if (invoice.state === 'paid') await settings.onPaid?.(tx, invoice, moment.at)
  return { items: [], notices: effects.map((effect) => invoiceNotice(invoice, statusOf[effect], settings.catalogue)) }
}

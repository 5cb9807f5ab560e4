import { generalErrors } from '@bursar/contract'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { type ApiRefusal, refusal } from '../../platform/api/route.ts'
import { isRegistered, type Invoice, type Registered } from './invoice.ts'
import { isOpen } from './machine.ts'
import { invoiceNotice } from './notice.ts'
import { paymentsOf, storePayments } from './payments.ts'
import { heldUntil, priceIn } from './quoting.ts'
import { PayerRefusal } from './refusal.ts'
import type { InvoiceSettings } from './settings.ts'
import { end, settle } from './settling.ts'
import { announce, endAwaitingPrice, lockById, move, write } from './store.ts'

/** The refusal of an id that does not exist or belongs to another merchant. */
export const noSuchInvoice = (): ApiRefusal => refusal(generalErrors.notFound, 'no such invoice: check its id')

/** The merchant accepts the credited amount as sufficient (`contract.md` 5.17, 18 row 22). Throws an ApiRefusal. */
export const close = async (
  tx: Tx,
  key: { merchantId: string; id: string },
  settings: InvoiceSettings,
  moment: Moment,
): Promise<Effects> => {
  const invoice = await lockById(tx, key.id)
  if (!invoice || invoice.merchantId !== key.merchantId) throw noSuchInvoice()
  if (invoice.state === 'paid')
    throw refusal(generalErrors.invalidRequest, 'the invoice is PAID: there is nothing to close')
  if (!isRegistered(invoice) || invoice.paid === 0n)
    throw refusal(
      generalErrors.invalidRequest,
      'nothing is credited for this invoice yet: it can be closed once something is',
    )
  if (invoice.refunded)
    throw refusal(
      generalErrors.invalidRequest,
      'the money of this invoice went back to its payer: it can not be closed as paid',
    )
  await announce(tx, [invoice.id])
  return end(tx, invoice, 'closed', settings, moment)
}

/**
 * Expires an invoice whose time is over. The invoice is locked and open. It waits for no payment, or has waited too
 * long for payments that are in no block.
 */
export const expire = async (tx: Tx, invoice: Invoice, settings: InvoiceSettings, moment: Moment): Promise<Effects> => {
  await announce(tx, [invoice.id])
  if (isRegistered(invoice)) return end(tx, invoice, 'ranOut', settings, moment)
  const expired = await move(tx, invoice, 'ranOut', {}, moment.at)
  return { items: [], notices: [invoiceNotice(expired, 'EXPIRED', settings.catalogue)] }
}

/**
 * Makes a new quote for the missing part of an invoice priced in fiat, and values payments that came while there was no
 * price. Without a fresh price nothing changes: the old quote is not renewed, and no payer is asked to pay at it.
 * @returns undefined if there is no fresh price
 */
export const requote = async (
  tx: Tx,
  invoice: Registered,
  settings: InvoiceSettings,
  moment: Moment,
): Promise<Effects | undefined> => {
  const { base, quote, state } = invoice
  if (base === null || quote === null) return noEffects
  const prices = await settings.prices(tx, [invoice.ticker, base.ticker])
  const priceE18 = priceIn(invoice.ticker, base.ticker, prices)
  if (priceE18 === undefined) return undefined
  const until = new Date(moment.at.getTime() + settings.quoteMs)
  const previousE18 = heldUntil(quote) >= moment.at.getTime() ? quote.priceE18 : null
  const renewed = state === 'paid' ? quote : { priceE18, at: moment.at, until, previousE18 }
  const requoted = (await write(tx, invoice, { quote: renewed })) as Registered
  const payments = await paymentsOf(tx, invoice.merchantId, invoice.id)
  const valued = payments.map((payment) => (payment.unvalued ? { ...payment, priceE18, unvalued: false } : payment))
  await storePayments(
    tx,
    valued.filter((payment, i) => payment !== payments[i]),
  )
  return settle(tx, requoted, valued, settings, moment)
}

/** Judges the missing part of a locked invoice again, after its asset had no price. */
export const judgeShortfall = async (
  tx: Tx,
  invoice: Registered,
  settings: InvoiceSettings,
  moment: Moment,
): Promise<Effects> => {
  await endAwaitingPrice(tx, invoice)
  return settle(tx, invoice, await paymentsOf(tx, invoice.merchantId, invoice.id), settings, moment)
}

/** Renews the quote of an open invoice at the payer's request. Throws a PayerRefusal if there is no price. */
export const requoteById = async (tx: Tx, id: string, settings: InvoiceSettings, moment: Moment): Promise<Effects> => {
  const invoice = await lockById(tx, id)
  if (!invoice) throw new PayerRefusal('not-found')
  if (!isOpen(invoice.state)) throw new PayerRefusal('ended')
  if (!isRegistered(invoice) || invoice.quote === null || invoice.quote.until > moment.at) return noEffects
  const effects = await requote(tx, invoice, settings, moment)
  if (!effects) throw new PayerRefusal('no-price')
  return effects
}

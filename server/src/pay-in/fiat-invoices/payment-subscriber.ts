import {
  isAwaited,
  paymentsOf,
  type Attribution,
  type Payment,
  type PaymentSubscriber,
} from '../../cards/acquiring/index.ts'
import { chargeOf } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { settingsOf } from '../../merchants/accounts/index.ts'
import { INVOICE_ERRORS, type FiatInvoice } from './invoice.ts'
import { assetOf, noticeOf } from './notice.ts'
import { mailReceipt, mailRefund } from './receipt.ts'
import type { FiatInvoiceSettings } from './settings.ts'
import { announceChange, change, lockById } from './store.ts'

const MINUTE_MS = 60_000

type Settings = Pick<FiatInvoiceSettings, 'catalogue' | 'publicUrl' | 'table'>

/**
 * Applies changes of card payments to their invoices. The first payment that the acquirer confirms pays the invoice.
 * Any other payment goes to suspense, and so does one of an invoice whose merchant was notified of Failed.
 */
export const createInvoicePaymentSubscriber = (settings: Settings): PaymentSubscriber => ({
  paid: async (tx, payment, moment) => paid(tx, payment, settings, moment),

  reported: async (tx, payment, moment) => {
    const invoice = await lockOf(tx, payment)
    await change(tx, invoice, 'reported', { paymentId: payment.id }, moment.at)
    return noEffects
  },

  ended: async (tx, payment, moment): Promise<Effects> => {
    const invoice = await lockOf(tx, payment)
    const isStillReported = (await paymentsOf(tx, payment.merchantId, invoice.id)).some(
      ({ state }) => state === 'reported',
    )
    const pending =
      invoice.state === 'paid' && !isStillReported ? await change(tx, invoice, 'unreported', {}, moment.at) : invoice
    if (pending?.state === 'pending') return heedFailure(tx, pending, payment, settings, moment)
    await announceChange(tx, invoice.id)
    return noEffects
  },

  changed: async (tx, { invoiceId }) => {
    await announceChange(tx, invoiceId)
    return noEffects
  },

  refunded: async (tx, payment, refund, moment) => {
    const invoice = await lockOf(tx, payment)
    await mailRefund(tx, invoice, payment, refund, settings, moment)
    await announceChange(tx, invoice.id)
    return noEffects
  },

  credited: async () => noEffects,

  released: async () => noEffects,

  feeOf: ({ paidTicker, paidUnits }) => feeOf(settings, paidTicker!, paidUnits!),
})

const lockOf = async (tx: Tx, { invoiceId, id }: Payment): Promise<FiatInvoice> => {
  const invoice = await lockById(tx, invoiceId)
  if (!invoice) throw new Error(`payment ${id} is of invoice ${invoiceId}, which does not exist`)
  return invoice
}

/** The platform's fee, rounded up to a minor unit, and at most the paid amount. */
const feeOf = ({ catalogue }: Settings, ticker: string, units: bigint): bigint =>
  chargeOf(assetOf(ticker, catalogue).payIn.fee, units, units)

const paid = async (tx: Tx, payment: Payment, settings: Settings, moment: Moment): Promise<Attribution> => {
  const invoice = await lockOf(tx, payment)
  if (invoice.state === 'done') return { kind: 'suspend', why: 'paid-before', effects: noEffects }
  const fee = feeOf(settings, payment.paidTicker!, payment.paidUnits!)
  const changes = {
    paidUnits: payment.paidUnits,
    feeUnits: fee,
    maskedCard: payment.maskedCard,
    paymentId: payment.id,
    errorCode: null,
    errorMessage: null,
  }
  const done = await change(tx, invoice, 'credited', changes, moment.at)
  if (!done) return { kind: 'suspend', why: 'came-late', effects: noEffects }
  await mailReceipt(tx, done, payment.language, settings, moment)
  return { kind: 'credit', fee, effects: { items: [], notices: [noticeOf(done, 'Done', settings.catalogue)] } }
}

/**
 * Handles the end of a payment that did not pay its invoice. After a refused card the invoice fails at once if the page
 * accepts no other card; otherwise when the page closes, or earlier, after the time that the merchant allows for
 * another try.
 */
const heedFailure = async (
  tx: Tx,
  invoice: FiatInvoice,
  payment: Payment,
  settings: Settings,
  moment: Moment,
): Promise<Effects> => {
  const others = (await paymentsOf(tx, invoice.merchantId, invoice.id)).filter(({ id }) => id !== payment.id)
  if (payment.state === 'refused' && !others.some((other) => isAwaited(other, moment.at))) {
    const closesAt = await closingOf(tx, payment, settings, moment)
    if (closesAt <= moment.at && !isAwaited(payment, moment.at)) return fail(tx, invoice, settings, moment)
    await change(tx, invoice, undefined, { failsAt: closesAt }, moment.at)
  }
  await announceChange(tx, invoice.id)
  return noEffects
}

/** Returns when no payer can pay any more after a refused card. */
const closingOf = async (
  tx: Tx,
  { merchantId, acquirer, expiresAt }: Payment,
  { table }: Settings,
  { at }: Moment,
): Promise<Date> => {
  const account = table.accounts.find(({ name }) => name === acquirer)
  if (account?.capabilities.takesOtherCards !== true) return at
  const { retryMinutes } = await settingsOf(tx, merchantId)
  return new Date(Math.min(expiresAt.getTime(), at.getTime() + retryMinutes * MINUTE_MS))
}

/** Fails an expired invoice, unless a payment is under way, which then decides. */
export const runOut = async (tx: Tx, id: string, settings: Settings, moment: Moment): Promise<Effects> => {
  const invoice = await lockById(tx, id)
  if (!invoice) return noEffects
  const isOver = invoice.expiresAt <= moment.at || (invoice.failsAt !== null && invoice.failsAt <= moment.at)
  if (!isOver) return noEffects
  const payments = await paymentsOf(tx, invoice.merchantId, id)
  return payments.some((payment) => isAwaited(payment, moment.at)) ? noEffects : fail(tx, invoice, settings, moment)
}

const fail = async (tx: Tx, invoice: FiatInvoice, settings: Settings, moment: Moment): Promise<Effects> => {
  const { code, message } = errorOf(await paymentsOf(tx, invoice.merchantId, invoice.id))
  const ended = await change(tx, invoice, 'ranOut', { errorCode: code, errorMessage: message }, moment.at)
  return ended ? { items: [], notices: [noticeOf(ended, 'Failed', settings.catalogue)] } : noEffects
}

/** Returns the error of the newest payment. */
const errorOf = (payments: readonly Payment[]): { code: number; message: string } => {
  if (payments.some(({ state }) => state === 'suspended')) return INVOICE_ERRORS.amountDiffers
  const last = payments.findLast(({ state }) => state === 'refused' || state === 'not-taken')
  if (!last) return INVOICE_ERRORS.expired
  if (last.state === 'not-taken') return INVOICE_ERRORS.unavailable
  const { refusalCode, refusalMessage } = last
  const code = /^[1-9]\d{0,8}$/.test(refusalCode ?? '') ? Number(refusalCode) : INVOICE_ERRORS.refused.code
  return {
    code,
    message: refusalMessage === null || refusalMessage === '' ? INVOICE_ERRORS.refused.message : refusalMessage,
  }
}

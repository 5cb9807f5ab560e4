/**
 * Crypto invoices. Guarantees:
 * - an invoice gets its address when the payer submits the page's first form (with `toPendingImmediate`, at once), and
 *   the address belongs to it permanently;
 * - the paid amount is the sum of the credited deposits to that address in the requested asset, for blocks, credits and
 *   reversals in any sequence;
 * - the merchant gets DONE at most once, and EXPIRED at most once;
 * - every credited amount appears in a notification: of the invoice, or (for another asset, a sum below the minimum, or
 *   a payment after the invoice's end) of the deposit, named Replenish in the API;
 * - the quote's validity, the invoice's life and the watching of the address, which never ends, are independent.
 */
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { DepositSubscriber } from '../deposits/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import { claim, type Claim, type ClaimSettings } from './claiming.ts'
import { requoteById } from './commands.ts'
import { applyDepositChanges } from './deposit-subscriber.ts'
import { findForPayer, type PayerInvoice } from './payer-view.ts'
import { proceed, type Choice } from './proceeding.ts'

export type { Claim, ClaimSettings } from './claiming.ts'
export { createClaimTokens } from './claim-tokens.ts'
export type { ClaimTokens } from './claim-tokens.ts'
export { findClaim, listClaimsOf } from './claims-listing.ts'
export {
  claimOf,
  claimsById,
  listClaims,
  merchantOfClaim,
  UNDECIDED,
  type ClaimDetail,
  type ClaimLine,
  type ClaimState,
} from './claims-store.ts'

export { approveClaim, ClaimRefusal, refuseClaim } from './deciding.ts'

export { createInvoiceCreator } from './creating.ts'

export { countUndecided, countUnderpaid, hasCryptoInvoice, newestCryptoInvoice, newestUndecided } from './attention.ts'
export { invoiceFormRoute } from './form.ts'

export { checkInvoice, countLinkInvoices, findLinkInvoice, invoiceTotals, placeInvoice } from './placing.ts'
export type { PlacingSettings } from './placing.ts'

export { eraseInvoiceEmails } from './erasing.ts'
export { createExpiryJob, createQuoteJob } from './jobs.ts'

export type { PayerInvoice, ShownOption, ShownPayment } from './payer-view.ts'
export type { Choice } from './proceeding.ts'
export { BASE_TICKERS } from './quoting.ts'
export { findReceipt } from './receipt.ts'
export { createRefundSubscriber } from './refund-subscriber.ts'
export { PayerRefusal } from './refusal.ts'

export { invoiceRoutes } from './routes.ts'
export { invoiceListRoute } from './routes-listing.ts'
export { listInvoices } from './listing.ts'
export type { InvoiceFilter } from './listing.ts'
export type { Invoice } from './invoice.ts'
export { paymentsById } from './payments.ts'
export { isOpen } from './machine.ts'
export { pageUrl } from './settings.ts'

export { INVOICE_CHANNEL, invoicesAt, isAskedFor } from './store.ts'

/**
 * The operations for deposits and for the payer's page. They return effects, which callers carry out, and throw a
 * PayerRefusal. Each change is announced on `INVOICE_CHANNEL` with its transaction.
 */
export interface Invoices {
  depositSubscriber: DepositSubscriber
  find(db: Db, id: string, at: Date): Promise<PayerInvoice | undefined>
  proceed(tx: Tx, id: string, choice: Choice, moment: Moment): Promise<Effects>
  /** Makes a fresh quote for the missing part, if the quote has expired. */
  requote(tx: Tx, id: string, moment: Moment): Promise<Effects>
  claim(tx: Tx, id: string, token: string, wanted: Claim, moment: Moment): Promise<Effects>
}

export const createInvoices = (settings: ClaimSettings): Invoices => ({
  depositSubscriber: (tx, changes, moment) => applyDepositChanges(tx, changes, settings, moment),
  find: (db, id, at) => findForPayer(db, id, settings, at),
  proceed: (tx, id, choice, moment) => proceed(tx, id, choice, settings, moment),
  requote: (tx, id, moment) => requoteById(tx, id, settings, moment),
  claim: (tx, id, token, wanted, moment) => claim(tx, id, token, wanted, settings, moment),
})

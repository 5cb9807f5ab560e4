/**
 * Crypto invoices. Promises that an invoice's address is its own for ever and is not made before the payer continues;
 * that what is paid is what the chain credited at that address in the asset asked for, to the unit, whatever happens in
 * whatever order; that DONE and EXPIRED are notified once each; that the merchant is notified of every unit credited,
 * by the invoice or by a Replenish; and that three clocks stay apart: the quote's minutes, the invoice's life, and the
 * address, which is always watched.
 */
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { DepositSubscriber } from '../deposits/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import { claim, type Claim, type ClaimSettings } from './claiming.ts'
import { requoteById } from './commands.ts'
import { followDeposits } from './deposit-subscriber.ts'
import { findForPayer, type PayerInvoice } from './payer-view.ts'
import { proceed, type Choice } from './proceeding.ts'

export type { Claim, ClaimSettings } from './claiming.ts'
export { createClaimTokens } from './claim-tokens.ts'
export type { ClaimTokens } from './claim-tokens.ts'
export { listClaims, UNDECIDED } from './claims-store.ts'

export { approveClaim, refuseClaim } from './deciding.ts'

export { createInvoiceCreator } from './creating.ts'

export { invoiceFormRoute } from './form.ts'

export { createExpiryJob, createQuoteJob } from './jobs.ts'

export type { PayerInvoice, ShownOption, ShownPayment } from './payer-view.ts'
export type { Choice } from './proceeding.ts'
export { BASE_TICKERS } from './quoting.ts'
export { findReceipt } from './receipt.ts'
export { createRefundSubscriber } from './refund-subscriber.ts'
export { PayerRefusal } from './refusal.ts'

export { invoiceRoutes } from './routes.ts'

export { INVOICE_CHANNEL, invoicesAt, isAskedFor } from './store.ts'

/**
 * What the module does for deposits and for the payer's page. Verbs answer with effects, which callers carry out, and
 * throw a PayerRefusal; each change is announced on `INVOICE_CHANNEL` with its transaction.
 */
export interface Invoices {
  follow: DepositSubscriber
  find(db: Db, id: string, at: Date): Promise<PayerInvoice | undefined>
  proceed(tx: Tx, id: string, choice: Choice, moment: Moment): Promise<Effects>
  /** A fresh price for what is missing, where the quote is over; nothing where it is not. */
  requote(tx: Tx, id: string, moment: Moment): Promise<Effects>
  claim(tx: Tx, id: string, token: string, wanted: Claim, moment: Moment): Promise<Effects>
}

export const createInvoices = (settings: ClaimSettings): Invoices => ({
  follow: (tx, followed, moment) => followDeposits(tx, followed, settings, moment),
  find: (db, id, at) => findForPayer(db, id, settings, at),
  proceed: (tx, id, choice, moment) => proceed(tx, id, choice, settings, moment),
  requote: (tx, id, moment) => requoteById(tx, id, settings, moment),
  claim: (tx, id, token, wanted, moment) => claim(tx, id, token, wanted, settings, moment),
})

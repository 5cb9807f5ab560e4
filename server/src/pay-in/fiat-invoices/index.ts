/**
 * Fiat invoices, paid by card. Guarantees:
 * - an invoice is paid by the first payment that its acquirer confirms, and by no other;
 * - each status is notified once, in the transaction that makes it true;
 * - Failed is notified only while no payment is under way.
 */
export { eraseFiatInvoiceEmails } from './erasing.ts'
export { proceed } from './commands.ts'
export type { FiatChoice } from './commands.ts'
export { createInvoicePaymentSubscriber } from './payment-subscriber.ts'
export type { FiatInvoice } from './invoice.ts'
export { createFiatExpiryJob } from './jobs.ts'
export { findForPayer, findPaymentsFor, hasFiatInvoice, newestFiatInvoice } from './queries.ts'
export type { FiatInvoiceForPayer } from './queries.ts'
export { FiatPayerRefusal } from './refusal.ts'

export { isFiatInvoiceKey, listFiatInvoices } from './listing.ts'
export type { FiatInvoiceFilter } from './listing.ts'
export { fiatInvoiceListRoute } from './routes-listing.ts'
export { fiatInvoiceFormRoute, fiatInvoiceRoutes } from './routes.ts'

export {
  cardCurrencies,
  checkFiatInvoice,
  countFiatLinkInvoices,
  fiatInvoiceTotals,
  findFiatLinkInvoice,
  placeFiatInvoice,
} from './placing.ts'
export { isOpen } from './machine.ts'
export { pageUrl } from './settings.ts'
export type { FiatInvoiceSettings } from './settings.ts'
export { FIAT_INVOICE_CHANNEL } from './store.ts'

/**
 * The pages of a merchant's payments: crypto invoices, card invoices and deposits in one list, a page for each, and the
 * list as a file. Guarantees:
 * - they read with the queries of the API's lists, so that both show the same;
 * - a page of the list needs a bounded number of rows, however many payments there are;
 * - nothing is changed.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { livePage, memberPage } from '../frame/index.ts'
import { EXPORT, ONE, PAYMENTS, type PaymentPagesDeps } from './deps.ts'
import { paymentPage } from './detail-page.ts'
import { paymentsFile } from './export.ts'
import { paymentsPage } from './list-page.ts'

export { explorersOf, linkOf } from './explorers.ts'
export type { Explorers } from './explorers.ts'
export { mergePage, type Source } from './merging.ts'
export { paymentsOfLink } from './of-link.ts'
export { readInvoiceToShare } from './to-share.ts'
export type { InvoiceToShare } from './to-share.ts'

export const paymentPages = (deps: PaymentPagesDeps): PageRoute[] => [
  livePage(deps, PAYMENTS, 'see-payments', paymentsPage(deps)),
  memberPage(deps, EXPORT, 'see-payments', paymentsFile(deps)),
  livePage(deps, ONE, 'see-payments', paymentPage(deps)),
]

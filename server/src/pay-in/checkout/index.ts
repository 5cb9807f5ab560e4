/**
 * The pages that payers see. Guarantees:
 * - every request of a browser gets a readable answer;
 * - no content of a page is interpreted as markup;
 * - an open page shows a change as soon as it is committed;
 * - viewing a page changes nothing.
 */
export { createCryptoPages } from './crypto.ts'

export { createFiatPages } from './fiat.ts'

export { createSellers } from './sellers.ts'
export { createLivePages } from './live.ts'

export { problemPage } from './problem.ts'
export { robotsRoute } from './robots.ts'
export { invoicePageRoutes } from './routes.ts'
export type { InvoicePages, SentForm, Visit } from './source.ts'

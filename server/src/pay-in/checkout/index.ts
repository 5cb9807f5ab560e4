/**
 * Payers' pages. Promises that whatever a browser asks for is answered readably, that nothing on a page is taken for
 * markup, that an open page shows a change as soon as it is committed, and that looking at a page changes nothing.
 */
export { createCryptoPages } from './crypto.ts'

export { createFiatPages } from './fiat.ts'

export { createSellers } from './sellers.ts'
export { createLivePages } from './live.ts'

export { problemPage } from './problem.ts'
export { robotsRoute } from './robots.ts'
export { invoicePageRoutes } from './routes.ts'
export type { InvoicePages, SentForm, Visit } from './source.ts'

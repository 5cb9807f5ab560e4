/**
 * The payment page. Guarantees:
 * - a page is a complete document that loads nothing else but the logo of the seller;
 * - no text passed to it becomes markup;
 * - it shows the same content in every language.
 */
export type * from './view.ts'
export { LANGUAGES } from './view.ts'
export { renderPage, versionOf } from './page.ts'
export { renderLink, type LinkView } from './link-page.ts'
export { renderProblem, type Problem } from './problem.ts'
export type { RenderedPage } from './document.ts'
export { languageOf } from './languages.ts'
export { paymentUri, walletLink, type PaymentRequest } from './payment-uri.ts'
export { amountText, LONGEST_FEE } from './amounts.ts'

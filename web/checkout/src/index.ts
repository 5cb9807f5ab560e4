/**
 * The payment page. Promises that what it makes is a whole document which asks for nothing more, that no text it is
 * handed becomes markup, and that it says the same in every language.
 */
export type * from './view.ts'
export { LANGUAGES } from './view.ts'
export { renderPage, versionOf } from './page.ts'
export { renderProblem, type Problem } from './problem.ts'
export type { RenderedPage } from './document.ts'
export { languageOf } from './languages.ts'
export { paymentUri, type PaymentRequest } from './payment-uri.ts'
export { amountText } from './amounts.ts'

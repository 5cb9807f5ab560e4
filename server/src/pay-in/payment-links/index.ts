/**
 * Payment links, and invoices that members make by hand. Guarantees:
 * - an invoice of a link or of a member is made by the code that makes those of the API;
 * - a form makes one invoice, however often it is sent;
 * - a link that has ended makes none. It makes none while as many as its limit are paid or can still be paid; an
 *   invoice that is paid after it has expired is credited, so payments can exceed the limit;
 * - a command of a member checks the permission in its own transaction, and is in the audit log; a signed request has
 *   the scope of its key;
 * - a member mails a page to a payer with our words and within limits;
 * - viewing the page of a link changes nothing.
 */
export { changeLink, createInvoiceByHand, createLink, MerchantLeaving, stopLink, TooManyLinks } from './commands.ts'
export { endOf, linkUrl } from './link.ts'
export type { LinkEnd, LinkFields, LinkKind, NewLink, PaymentLink } from './link.ts'
export { amountIn, canAsk, limitsOf, tickersOf } from './making.ts'
export type { MakingSettings } from './making.ts'
export { isFormKey } from './once.ts'
export { mailPage, type PageToMail } from './mailing.ts'
export { linkPages } from './pages.ts'
export { countedEnd, isMore } from './paying.ts'
export { ANY_LINK, listLinks } from './listing.ts'
export { linkListRoute, linkRoutes } from './routes.ts'
export { findLink } from './store.ts'

/**
 * The dashboard: sign-in, the list of merchants and Security, below `/app`, rendered by the server. Guarantees:
 * - every page works without scripts, except for passkeys;
 * - a form is accepted from a page of our own origin only;
 * - the browser has no secret but cookies that scripts can't read;
 * - a merchant of which the person is no member is answered as an unknown one;
 * - text that was typed into a form survives the end of the session.
 */
export { dashboardRoutes } from './routes.ts'
export { answerOf, choice, framed, hidden, input, redirect, together } from './frame.ts'
export type { MerchantPart } from './merchant-links.ts'
export { draftIn, draftOf, type Draft } from './drafts.ts'
export { PASSKEY_SCRIPT } from './passkeys.generated.ts'
export { provePanel } from './proving.ts'
export { askToSignIn, toSignIn } from './sign-in.ts'
export { linkTo, merchantPath, readFields, visitOf, type DashboardDeps, type Fields, type Visit } from './visit.ts'

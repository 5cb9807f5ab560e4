/**
 * Payments and refunds at acquirers. Guarantees:
 * - every movement of money at an acquirer is posted once;
 * - an order goes to another acquirer only while no payer can have paid it;
 * - a callback is confirmed by a query to the acquirer before money is posted;
 * - money that arrives is posted, either to the merchant's balance or to suspense;
 * - an acquirer's balance in the books is the sum of the postings.
 */
export { erasePaymentEmails } from './erasing.ts'
export { acceptPayment } from './booking.ts'
export { planPayment } from './commands.ts'

export { resolveDispute } from './going-back.ts'
export { readFailing, recordOutcome } from './health.ts'
export { heldOf, heldParts, heldTotals } from './holding.ts'
export { createCallbackHandler } from './callback.ts'
export type { CallbackSubscriber } from './callback.ts'
export { createHoldJob } from './jobs-holds.ts'
export { createAcquiringPruneJob, createPaymentJobs } from './jobs-payments.ts'

export { createRefundJob, requireNotShown } from './jobs-refunds.ts'
export { createStatementJob, reconcileAcquirer, reconcileLines } from './jobs-statements.ts'

export type { Attribution, Payment, PaymentSubscriber } from './payment.ts'
export { bankItem, fundAcquirerItem, paidOutEntries } from './postings.ts'

export { awaitedPayments, heldBy, isAwaited, isUnderWay } from './queries.ts'
export type { PostedPayout, PayoutBooks, StatementFinding } from './reconciling.ts'
export { RefundRefused, requestRefund, resolveRefund } from './refunding.ts'
export { listRefunds, type ListedRefund } from './refund-listing.ts'
export type { RefundState } from './refund-machine.ts'
export { givenBackOf, refundsById, refundsOf, type Refund } from './refund-store.ts'

export { callbackPath, callbackRoutes } from './routes.ts'

export { createRoutingTable, limitsOf, requireRanges, routeOf } from './routing.ts'
export type { RoutingTable } from './routing.ts'
export { readStatementFile } from './statement-file.ts'
export { statedTotals } from './statement-store.ts'
export { findPayment, newestPaymentsOf, paymentsById, paymentsOf } from './store.ts'
export { inAcquirerCall } from './traced-call.ts'

/**
 * Money at acquirers. Promises that every movement there is posted once, that an order goes to another acquirer only
 * while no money can have moved, that what an acquirer calls about is asked for before it is booked, that money which
 * arrives is credited or seen in suspense and never lost, and that what an acquirer holds by the books is the sum of
 * what was posted.
 */
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
export type { BookedPayout, PayoutBooks, StatementFinding } from './reconciling.ts'
export { requestRefund, resolveRefund } from './refunding.ts'
export { givenBackOf } from './refund-store.ts'

export { callbackPath, callbackRoutes } from './routes.ts'

export { createRoutingTable, limitsOf, requireRanges, routeOf } from './routing.ts'
export type { RoutingTable } from './routing.ts'
export { readStatementFile } from './statement-file.ts'
export { statedTotals } from './statement-store.ts'
export { findPayment, paymentsOf } from './store.ts'

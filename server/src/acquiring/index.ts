/**
 * Money at acquirers. Promises that every movement there is posted once, that an order goes to another acquirer only while
 * no money can have moved, that what an acquirer calls about is asked for before it is booked, that money which arrives is
 * credited or seen in suspense and never lost, and that what an acquirer holds by the books is the sum of what was posted.
 */
export { acceptPayment } from './booking.ts'
export { planPayment } from './commands.ts'
export type { Routing } from './commands.ts'
export { readFailing, recordOutcome } from './health.ts'
export { createPaymentHearing, hearCallback } from './hearing.ts'
export type { CallbackListener, Heard } from './hearing.ts'
export { createAcquiringPruneJob, createPaymentJob } from './jobs-payments.ts'
export type { PaymentJobDeps } from './jobs-payments.ts'
export { createRefundJob } from './jobs-refunds.ts'
export { paymentMoves } from './machine.ts'
export type { PaymentState } from './machine.ts'
export type { Attribution, Payment, PaymentListener, PaymentOrder } from './payment.ts'
export { accountFeeItem, bankItem, costItem, fundAcquirerItem, paidOutLegs, settleItem } from './postings.ts'
export type { AtAcquirer, Took } from './postings.ts'
export { awaitedPayments, hasAwaited, heldBy, isUnderWay } from './queries.ts'
export { RefundRefused, requestRefund } from './refunding.ts'
export type { Refund } from './refund-store.ts'
export { callbackPath, callbackRoutes } from './routes.ts'
export type { CallbackRoutesDeps } from './routes.ts'
export { createRoutingTable, limitsOf, routeOf } from './routing.ts'
export type { AcquirerAccount, Direction, Failing, RoutedOrder, RoutingRule, RoutingTable } from './routing.ts'
export { findPayment, paymentsOf } from './store.ts'

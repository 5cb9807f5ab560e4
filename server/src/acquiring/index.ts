/**
 * Money at acquirers. Promises that every movement there is posted once, that an order goes to another acquirer only while
 * no money can have moved, and that what an acquirer holds by the books is the sum of what was posted.
 */
export { forgetOldHealth, readFailing, recordOutcome } from './health.ts'
export { accountFeeItem, bankItem, costItem, fundAcquirerItem, paidOutLegs, settleItem } from './postings.ts'
export type { AtAcquirer, Took } from './postings.ts'
export { heldBy } from './queries.ts'
export { createRoutingTable, limitsOf, routeOf } from './routing.ts'
export type { AcquirerAccount, Direction, Failing, RoutedOrder, RoutingRule, RoutingTable } from './routing.ts'

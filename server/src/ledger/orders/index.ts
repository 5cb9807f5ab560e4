/**
 * Places orders that take money from a merchant's balance. Every kind of order takes the same steps:
 * 1. A repeated request gets its first answer (`identity.ts`), before anything of it is judged.
 * 2. `readRequest` reads the parts that all requests have. The module reads its own parts, and judges and prices them.
 * 3. The module states its order as a `NewOrder`: the transfer, the rows, the operation and the localId.
 * 4. One of these functions stores it:
 *    - `placePayout`, if the price is known before the transaction begins (a withdrawal, a card payout): the committer
 *      stores the order in one transaction with concurrent orders. If the merchant's own policy limits orders of the
 *      API, the order has a transaction of its own, which judges it;
 *    - `placeDecided`, if the price is computed in the transaction that stores the order: an exchange, alone or with a
 *      withdrawal. It carries out the order's effects, such as its notification, in the same transaction;
 *    - `placeWithin` in the caller's transaction, as a part of another change: a payout that members approved, a
 *      refund, money that is sent on.
 *
 * Guarantees that one statement takes the money and stores the order's rows, its localId and the answer to its request,
 * that a repeated request gets the same answer, and that all these orders use the same error codes when they are
 * refused (`docs/contract.md`, section 18, row 4).
 */
export { orderLookupRoutes } from './finding.ts'
export type { OrderFinder } from './finding.ts'
export { createKnownRequests } from './identity.ts'
export { endedInSilence, placeDecided } from './deciding.ts'
export type { Decide, RequestIdentity, JudgedOrder, Placed } from './deciding.ts'
export { chargeUnder, placePayout } from './policy.ts'
export type { Charge, OrderedPayment, OrderPolicy } from './policy.ts'
export { itemOf, placeWithin, requirePlaced } from './placing.ts'
export type { NewOrder } from './placing.ts'

export { checkStops, readOwnFee, readRequest } from './request.ts'
export type { OrderRequest } from './request.ts'

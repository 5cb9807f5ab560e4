/**
 * Places orders that take money from a merchant's balance. A module passes the transfer, the rows, the operation and
 * the price of its order to one of these functions:
 * - `placeOrder`, if the price is known before the transaction begins (a withdrawal, a card payout): the committer
 *   stores the order in one transaction with concurrent orders;
 * - `placeDecided`, if the price is computed in the transaction that stores the order: an exchange, alone or with a
 *   withdrawal;
 * - `placeWithin` in the caller's transaction, as a part of another change.
 *
 * Guarantees that one statement takes the money and stores the order's rows, its localId and the answer to its request,
 * that a repeated request gets the same answer, and that all these orders use the same error codes when they are
 * refused (`docs/contract.md`, section 18, row 4).
 */
export { orderLookupRoutes } from './finding.ts'
export type { OrderFinder } from './finding.ts'
export { createKnownRequests } from './identity.ts'
export { endedInSilence, placeDecided } from './deciding.ts'
export type { Decide, OrderRequest, Placed } from './deciding.ts'
export { itemOf, placeOrder, placeWithin, requirePlaced } from './placing.ts'
export type { NewOrder } from './placing.ts'

export { checkStops, readOwnFee, readText, refusal } from './request.ts'

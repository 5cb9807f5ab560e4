/**
 * Shared by all API calls that take money from a merchant's balance. Guarantees that the answer is stored in the
 * statement that holds the money, that a repeated request gets the same answer, and that refusals have one form
 * (`contract.md` 18, row 4).
 */
export { orderLookupRoutes } from './finding.ts'
export type { OrderFinder } from './finding.ts'
export { answerToKnown, createKnownRequests, unlessKnown } from './identity.ts'

export { answerOf, answersOf, placeOrder, refusalOf } from './placing.ts'

export { checkStops, readOwnFee, readText, refusal } from './request.ts'

/**
 * What all calls that take money from a merchant's balance have in common. Promises that the answer is stored in the
 * statement that holds the money, that the same request gets it again, and one way of saying why not (`contract.md` 18,
 * row 4).
 */
export { orderLookupRoutes } from './finding.ts'
export type { OrderFinder } from './finding.ts'
export { answerToKnown, createKnownRequests, unlessKnown } from './identity.ts'

export { answerOf, answersOf, placeOrder, refusalOf } from './placing.ts'

export { checkStops, readOwnFee, readText, refusal } from './request.ts'

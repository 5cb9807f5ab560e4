/**
 * Payouts to cards, single or in batches. Guarantees:
 * - amount and fee are held before the request is answered;
 * - a payment that may have reached an acquirer is never sent again;
 * - a failed part returns to the balance with its fee;
 * - the merchant is notified once, when all parts have ended;
 * - the card number is stored sealed, and is erased when the last part has ended.
 */
export { hearPayoutCallback } from './callback.ts'
export { createAskingJob } from './jobs-asking.ts'
export { createResealingJob } from './jobs-resealing.ts'
export { createSendingJob } from './jobs-sending.ts'
export { listPayouts, type ListedPayout, type PayoutFilter } from './listing.ts'
export { batchBody } from './notice.ts'
export { partMoves } from './machine.ts'
export { abandon, resolve } from './resolving.ts'
export { currentFee, newPayout, orderOf } from './placing.ts'
export type { PlacingDeps } from './placing.ts'
export { idForRequest } from './request-ids.ts'
export { checkNoCard, paidOutCurrencies, readCard, readCurrency, readPartLimits, readUnits } from './request.ts'
export type { Rules as CardRules } from './request.ts'
export { createPayoutFinder } from './queries.ts'
export { cardPayoutRoutes } from './routes.ts'
export { cardPayoutListRoute } from './routes-listing.ts'
export type { CardPayoutRoutesDeps } from './routes.ts'
export type { CardPayoutDeps } from './sending.ts'
export { payoutBooks } from './stated.ts'
export { countSealedCards, listOpenParts } from './store.ts'
export type { OpenPart } from './store.ts'

/**
 * Payouts to cards, one by one and as batches. Promises that amount and fee are held before the answer is given, that a
 * payment that may have reached an acquirer is never sent again, that what failed is back on the balance with its fee,
 * that the merchant is notified once when all parts have ended, and that the number of a card is kept sealed and no
 * longer than that.
 */
export { hearPayoutCallback } from './callback.ts'
export { createAskingJob } from './jobs-asking.ts'
export { createResealingJob } from './jobs-resealing.ts'
export { createSendingJob } from './jobs-sending.ts'
export { partMoves } from './machine.ts'
export { abandon, resolve } from './resolving.ts'
export { currentFee, newPayout, placingItem } from './placing.ts'
export type { PlacingDeps } from './placing.ts'
export { checkNoCard, readCard, readCurrency, readPartLimits } from './request.ts'
export type { Rules as CardRules } from './request.ts'
export { createPayoutFinder } from './queries.ts'
export { cardPayoutRoutes } from './routes.ts'
export type { CardPayoutRoutesDeps } from './routes.ts'
export type { CardPayoutDeps } from './sending.ts'
export { payoutBooks } from './stated.ts'
export { countSealedCards, listOpenParts } from './store.ts'
export type { OpenPart } from './store.ts'

/**
 * Prices of assets in USD. Guarantees:
 * - a stored price comes from at least one source;
 * - a price without a fresh source expires;
 * - a sudden jump is not accepted.
 * Order books price an asset against USDT only while enough of them agree, near the last price and the official rate.
 * Otherwise the market is closed, with a reason.
 */
export { createBooksJob, createOfficialRatesJob } from './jobs-books.ts'
export { createRatesJob } from './jobs.ts'
export { E18 } from './ladder.ts'
export { createLegRates } from './leg-rates.ts'
export { assetFor, assetToGet, PIVOT, pivotFor, pivotToGet } from './leg.ts'
export type { Leg } from './leg.ts'
export { listLegs, listOfficialRates } from './leg-store.ts'
export type { StoredLeg } from './leg-store.ts'
export { createLegsReader, readLegs } from './legs.ts'
export type { Legs } from './legs.ts'
export { LEG_SHAPE, legRulesOf, marketOf } from './markets.ts'
export { officialDay, type AgreementRules } from './agreement.ts'
export { freshPrices } from './queries.ts'

export { createPriceReader } from './reader.ts'
export { worthAt } from './worth.ts'

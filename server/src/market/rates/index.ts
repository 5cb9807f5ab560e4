/**
 * What assets are worth in USD. Promises that a stored price was given by a source, that a price without a fresh source
 * disappears instead of lingering, and that a sudden jump is not believed. Order books price an asset against USDT only
 * while enough of them agree, near the last price and near the official rate; else it is closed, and says why.
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

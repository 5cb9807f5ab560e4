/**
 * What assets are worth in USD. Promises that a stored price was given by a source, that a price without a fresh source
 * disappears instead of lingering, and that a sudden jump is not believed.
 */
export { createRatesJob } from './jobs.ts'
export { freshPrices, listPrices } from './queries.ts'
export type { StoredPrice } from './queries.ts'
export { createPriceReader } from './reader.ts'

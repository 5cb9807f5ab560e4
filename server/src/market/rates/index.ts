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
export { createMarketRates } from './market-rates.ts'
export { assetReceivedFor, assetNeededFor, PIVOT, usdtReceivedFor, usdtNeededFor } from './usdt-market.ts'
export type { UsdtMarket } from './usdt-market.ts'
export { listUsdtMarkets, listOfficialRates } from './usdt-market-store.ts'
export type { StoredUsdtMarket } from './usdt-market-store.ts'
export { createUsdtMarketsReader, isTooOld, readUsdtMarkets } from './usdt-markets.ts'
export type { UsdtMarkets } from './usdt-markets.ts'
export { MARKET_RULES_SHAPE, marketRulesOf, marketOf } from './markets.ts'
export { officialDay, type AgreementRules } from './agreement.ts'
export { freshPrices, createPriceReader } from './queries.ts'

export { worthAt } from './worth.ts'

/**
 * An exchange and the withdrawal of its proceeds, as one order. Guarantees:
 * - both are made in one transaction, or neither is;
 * - the merchant is notified of Exchanged, then of Done or Failed, and of nothing else;
 * - if the withdrawal fails, the bought asset is on the balance.
 */
export { exchangeAndSend, sendOnAsWhole } from './commands.ts'

export { carriedOn } from './terms.ts'
export type { CausedBy } from './notice.ts'
export { fiatExchangeWithdrawalRoutes } from './routes-fiat.ts'

export { exchangeWithdrawalRoutes } from './routes.ts'
export { exchangeListRoute } from './routes-listing.ts'
export { exchangesSentOn } from './store.ts'

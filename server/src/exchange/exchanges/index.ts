/**
 * Exchanges of one asset of a balance into another. Guarantees:
 * - all changes of an exchange are made in one database transaction, or none is made;
 * - its price is computed from order books, of which enough must agree;
 * - an estimate's price is valid for `quoteMs` (ten seconds by default), and one exchange may use it;
 * - each amount that must be rounded is rounded against the merchant;
 * - the platform never sells more of an asset than it holds for exchanges, and this holding stays within the configured
 *   limits.
 */
export { estimateOf, exchangeByMember, NotServed, tradedAssets } from './by-member.ts'
export type { Estimated, MemberExchange } from './by-member.ts'
export { fundPosition, notifyExchange } from './commands.ts'
export { estimate, fillOrder, fillPart, priceOrder } from './trading.ts'
export type { TradingDeps, Order } from './trading.ts'
export type { Direction } from './direction.ts'
export { readDirection, readPrice, readSideAmount } from './order.ts'
export { pairOf } from './pair.ts'
export { PRICE_DECIMALS } from './pricing.ts'
export type { Quote } from './quoting.ts'
export type { Exchange } from './exchange.ts'
export { createQuotePruneJob } from './jobs.ts'
export { endReservation, moveInventory, reserveInventory } from './inventory.ts'
export { exposuresOf, setPositionLimits } from './limits.ts'
export type { Exposure } from './limits.ts'
export { profitOf } from './profit.ts'

export { auditPositions, positionsOf, spreadIncomeOf } from './positions.ts'
export { createQuoteStore } from './quotes.ts'
export { EXCHANGE_SHAPE, readExchangePolicy } from './policy.ts'
export { readLimitedPolicy } from './direction.ts'
export type { ExchangePolicy, ExchangeSettings } from './policy.ts'
export { listExchanges, type ExchangeFilter } from './listing.ts'
export { createExchangeFinder, exchangeBody, exchangesCausedBy } from './queries.ts'
export type { FoundExchange } from './store.ts'
export { exchangeRoutes } from './routes.ts'

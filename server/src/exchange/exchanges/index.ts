/**
 * Exchanges of one asset of a balance into another. Guarantees:
 * - all changes of an exchange are made in one database transaction, or none is made;
 * - its price is one on which enough sources agree;
 * - the price of an estimate is valid for `quoteMs` (ten seconds by default), for one exchange;
 * - no rounding favours the merchant;
 * - the platform never sells more than its inventory, and its position stays within its limits.
 */
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
export { createExchangeFinder } from './queries.ts'
export { exchangeRoutes } from './routes.ts'

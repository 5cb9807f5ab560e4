/**
 * Trading away on a venue what exchanges leave the platform with. Promises that an order is written down before the
 * venue hears of it and is placed once; that what is not known is asked for by our own client id until it is; that
 * every fill is booked once, with its fee; that no order spends what is not reserved for it, fills worse than its
 * limit, or is begun while hedging is stopped.
 */
export { fundVenue } from './commands.ts'
export { listVenueLines } from './comparisons.ts'
export type { VenueLine } from './comparisons.ts'
export type { HedgeDeps } from './deps.ts'
export { createHedgeAskingJob } from './jobs-asking.ts'
export { compareVenue, createVenueComparisonJob } from './jobs-comparing.ts'
export { createHedgeJob } from './jobs-placing.ts'
export { createPositionWatchJob } from './jobs-watching.ts'
export { clientIdOf } from './order.ts'
export type { HedgeOrder } from './order.ts'
export { HEDGE_MEMBERS, hedgePolicyOf, noteUnordered } from './policy.ts'
export type { HedgePolicy, HedgeSettings } from './policy.ts'
export { auditExposures, standings } from './standing.ts'
export type { AssetStanding } from './standing.ts'
export { listStops, startHedging, stopHedging } from './stopping.ts'
export { hedgeFlows, listOpenOrders, newestOrders } from './store.ts'

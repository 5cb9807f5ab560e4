/**
 * Hedging: trades on a venue to reduce the exposure that exchanges leave. Guarantees:
 * - an order is stored before the venue is called, and is placed once;
 * - an order of unknown outcome is queried by our client id until its outcome is known;
 * - every fill is posted once, with its fee;
 * - no order spends more than is reserved for it, or fills at a worse price than its limit;
 * - no order is begun while hedging is stopped.
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
export { auditExposures, readPositions } from './positions.ts'
export type { AssetPosition } from './positions.ts'
export { listStops, startHedging, stopHedging } from './stopping.ts'
export { hedgeFlows, listOpenOrders, newestOrders } from './store.ts'

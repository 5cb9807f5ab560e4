/**
 * The platform's own money, and the comparison of the books with the chains. Guarantees that money from outside is
 * posted once, only when its block is final, and that a shortage, in total or at a single address, stops withdrawals of
 * that asset.
 */
export { createFunding, grantCapital } from './funding.ts'
export { listRounds } from './comparisons.ts'
export type { CustodyLine, Round } from './comparisons.ts'
export { auditCounts, countAnew, countStates, createCountJob } from './jobs-counts.ts'
export type { Subject } from './jobs-counts.ts'
export { auditBooks, createSealJob } from './jobs.ts'
export { createReconcileJob, reconcileFully, reconcileNetwork } from './jobs-reconcile.ts'
export { TREASURY_MEMBERS, treasuryPolicyOf } from './hot-policy.ts'
export type { HotLimits, TreasuryPolicy } from './hot-policy.ts'
export { createHotWatchJob, readHotWallet } from './jobs-hot.ts'

export { arrivedAtSecondSeed, leftAtFirstSeed, movedFrom, placeKey } from './first-seed.ts'
export { positionsOf, toColdOf } from './positions.ts'
export type { Position } from './positions.ts'

export type { Runway } from './runway.ts'
export { excessOf, inLedgerUnits, refillOf } from './watching-hot.ts'

/**
 * Sweeps the balances of deposit addresses to the hot wallet. Guarantees:
 * - a sweep is started only for a balance at a final block. A batch also moves money that arrived after it; the ledger
 *   records the amounts that the batch's block shows;
 * - an address is swept by one transaction at a time;
 * - a sweep sends money of a deposit address to the hot wallet only;
 * - the cost of a sweep is charged to the merchants whose deposits it moved.
 */
export { createSweepSubscriber } from './subscriber.ts'
export { withCoinSwept, type SweepTreasuries } from './coin-swept.ts'
export { createEvmSweepJob } from './evm/jobs.ts'
export { createTronSweepJob } from './tron/jobs.ts'
export { expectedPrice } from './evm/gas-price.ts'
export { unitsWorth } from './coin-worth.ts'

export type { Allowed } from './evm/sweeping.ts'
export { DEFAULT_SWEEP_POLICY, SWEEP_SHAPE, sweepPolicyOf } from './policy.ts'
export type { SweepPolicy } from './policy.ts'
export { createSweepSettlement } from './settlement.ts'

export { orderStake, readStakeState } from './tron/stake.ts'
export type { StakeDeps, StakeOrder, StakeState } from './tron/stake.ts'
export type { SpendableSun, TronSweepPermission } from './tron/deps.ts'
export { tronPurposeOf } from './tron/purpose.ts'
export { lockTronSweeps } from './tron/loans.ts'
export { isBeingSwept } from './queries.ts'

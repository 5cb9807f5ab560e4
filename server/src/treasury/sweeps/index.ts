/**
 * Brings what deposit addresses hold to the hot wallet. Promises that an address is only swept for what is final (a
 * batch takes along what came since, and books follow what its block shows), that an address is swept by one
 * transaction at a time, that money only ever goes to the hot wallet, and that what a sweep cost is a cost of the
 * merchants whose deposits it brought in.
 */
export { createSweepSubscriber } from './subscriber.ts'
export { withCoinSwept } from './coin-swept.ts'
export { createEvmSweepJob } from './evm/jobs.ts'
export { createTronSweepJob } from './tron/jobs.ts'
export { expectedPrice } from './evm/gas-price.ts'
export { unitsWorth } from './coin-worth.ts'

export type { Allowed } from './evm/sweeping.ts'
export { DEFAULT_SWEEP_POLICY, SWEEP_SHAPE, sweepPolicyOf } from './policy.ts'
export type { SweepPolicy } from './policy.ts'
export { createSweepSettlement } from './settlement.ts'

export { orderStake, standingOfStake } from './tron/stake.ts'
export type { StakeDeps, StakeOrder, StakeStanding } from './tron/stake.ts'
export type { TronSweepPermission } from './tron/deps.ts'
export { tronPurposeOf } from './tron/purpose.ts'
export { lockTronSweeps } from './tron/loans.ts'
export { isBeingSwept } from './under-way.ts'

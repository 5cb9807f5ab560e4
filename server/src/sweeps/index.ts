/**
 * Brings what deposit addresses hold to the hot wallet. Promises that nothing leaves an address before its block is final,
 * that an asset of an address is swept by one transaction at a time, that money only ever goes to the hot wallet, and that
 * what a sweep cost is a cost of the merchant whose deposit it brought in.
 */
export { createHouseFollowing } from './following.ts'
export { sweepMoves } from './machine.ts'
export { DEFAULT_SWEEP_POLICY } from './policy.ts'
export type { SweepPolicy } from './policy.ts'
export { createSweepSettlement } from './settlement.ts'
export type { Sweep } from './sweep.ts'

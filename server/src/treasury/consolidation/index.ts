/**
 * Coins of ours that are joined into one of the hot wallet, on Bitcoin. Promises that small coins are joined only when
 * fees are low and payments don't need them, that no coin is joined whose spending costs what it holds, that a deposit
 * or a payment of ours that is stuck for its fee is paid for by a transaction that spends it, and that nothing ever
 * goes anywhere but back to us: what it costs is posted, and what can never be mined is ended only when that is proven.
 */
export { createConsolidationJob } from './jobs.ts'

export { createRecallJob } from './jobs-recall.ts'
export { createRescueJob, payForParent } from './jobs-rescue.ts'
export { createSupersededSubscriber } from './superseded.ts'
export { CONSOLIDATION_SHAPE, consolidationPolicyOf, DEFAULT_CONSOLIDATION_POLICY } from './policy.ts'
export type { ConsolidationPolicy } from './policy.ts'
export { createConsolidationSettlement } from './settlement.ts'

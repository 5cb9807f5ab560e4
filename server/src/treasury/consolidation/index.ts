/**
 * Joins coins of ours into one coin of the hot wallet, on Bitcoin. Guarantees:
 * - small coins are joined only when fees are low and payments don't need them;
 * - no coin is joined whose spending costs more than it holds;
 * - a stuck deposit or payment is accelerated by a transaction that spends it (child pays for parent);
 * - money only ever goes to our own addresses, and its cost is posted;
 * - a transaction that can never be mined is ended only when that is proven.
 */
export { createConsolidationJob } from './jobs.ts'
export { createFirstSeedJob } from './jobs-first-seed.ts'

export { createRecallJob } from './jobs-recall.ts'
export { createRescueJob, payForParent } from './jobs-rescue.ts'
export { createSupersededSubscriber } from './superseded.ts'
export { CONSOLIDATION_SHAPE, consolidationPolicyOf, DEFAULT_CONSOLIDATION_POLICY } from './policy.ts'
export type { ConsolidationPolicy } from './policy.ts'
export { createConsolidationSettlement } from './settlement.ts'

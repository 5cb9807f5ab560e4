/**
 * Costs of networks and acquirers, by merchant and operation. Guarantees that every fee posted in the ledger is counted
 * once and exactly, because the costs are computed from the ledger's entries. If the block of a fee is lost, the fee is
 * subtracted again.
 */
export { countCosts, recountCosts } from './counting.ts'
export { costTotals, listCosts, sharesOf, spentSince } from './queries.ts'
export type { CostFilter, CostLine } from './queries.ts'
export { createCostJob } from './jobs.ts'

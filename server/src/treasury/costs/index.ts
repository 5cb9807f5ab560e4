/**
 * Costs of networks and acquirers, by merchant and operation. Guarantees that every fee posted in the ledger is counted
 * once and exactly, whichever code posted it, because the count is made from the ledger's entries. A fee whose block
 * was lost is subtracted again.
 */
export { countCosts, recountCosts } from './counting.ts'
export { costTotals, listCosts, sharesOf, spentSince } from './queries.ts'
export type { CostFilter, CostLine } from './queries.ts'
export { createCostJob } from './jobs.ts'

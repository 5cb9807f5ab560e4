/**
 * What networks took in fees, by merchant and by operation. Promises that every fee the ledger has posted is counted
 * once and exactly, whichever code posted it, since the count is made of the ledger's own entries; a fee whose block
 * was lost is counted back.
 */
export { countCosts, recountCosts } from './counting.ts'
export { costTotals, listCosts, sharesOf, spentSince } from './queries.ts'
export type { CostFilter, CostLine } from './queries.ts'
export { createCostJob } from './jobs.ts'

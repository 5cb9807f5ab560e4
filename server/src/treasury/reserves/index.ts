/**
 * Proofs of the platform's liabilities. Guarantees that a report's total is the sum of every merchant's balance in one
 * snapshot of the ledger, that any merchant's part can always be proven from the report, and that a proof does not
 * identify the other merchants.
 */
export { takeReport } from './commands.ts'

export { proofFile, proofFiles, reportFile, signReport } from './files.ts'

export { readLeaves, readReport } from './store.ts'

export type { StatementAsset } from './statement.ts'

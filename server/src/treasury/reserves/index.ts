/**
 * Proofs of what the platform owes. Promises that a report's total is the sum of every merchant's balance as the ledger
 * had it in one snapshot, that any merchant's part can always be proven from the report, and that a proof tells
 * nothing of whose the other leaves are.
 */
export { takeReport } from './commands.ts'

export { proofFile, proofFiles, reportFile, signReport } from './files.ts'

export { readLeaves, readReport } from './store.ts'

export type { StatementAsset } from './statement.ts'

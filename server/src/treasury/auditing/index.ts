/**
 * Proves the books while they are written: each account from where it was last proved, entry by entry, with the cause
 * of each credit. Promises that no payment is planned from an account that is not proved to its last entry, nor without
 * an open hold that covers it, and that what can't be proved stops the asset and the merchant.
 */

export { auditAccounts } from './commands.ts'
export { createAuditJob } from './jobs.ts'
export { provedPayments } from './paying.ts'
export { acceptFinding, listOpenFindings } from './store.ts'

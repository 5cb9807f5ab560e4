/**
 * Proves the ledger continuously: each account from the last proved entry on, entry by entry, with the cause of each
 * credit. Guarantees that no payment is planned unless its account is proved to the last entry and an open hold covers
 * it, and that a finding stops the asset and the merchant.
 */

export { auditAccounts } from './commands.ts'
export { createAuditJob } from './jobs.ts'
export { provedPayments } from './paying.ts'
export { acceptFinding, listOpenFindings } from './store.ts'

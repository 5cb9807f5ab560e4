/**
 * Adjustments: an operator moves money in the ledger, for example out of suspense or quarantine, to capital or to
 * losses. Guarantees that only pairs of accounts in one table are allowed, that a second person has signed exactly the
 * posting, that it is posted once, in the transaction of its record, and that neither the record nor a signature ever
 * changes.
 */
export { accountText, PAIRS, readAccount } from './accounts.ts'
export { adjustmentText, VALID_MS } from './adjustment.ts'

export { auditAdjustments, forgedAdjustments } from './auditing.ts'
export { applyAdjustment, enrol, NotAllowed, propose, requireSignature } from './commands.ts'
export type { Show } from './commands.ts'
export { isSignedReturn } from './queries.ts'
export { enrolmentText, makePersonKey, signText } from './person.ts'

export { databaseIdentity, findAdjustment, listAdjustments, listPeople, removePerson } from './store.ts'
export type { AdjustmentLine } from './store.ts'

/**
 * Named invariants of the books, each checked by a query of its own. Guarantees that a check
 * reads a bounded page in one snapshot; that a violation which two snapshots show stops outgoing payments of the
 * asset, or of the merchant, or all of them, in the transaction that raises its alert; and that only an operator lifts
 * the stop.
 */
export { checkInvariant, checkInvariants, INVARIANTS } from './check.ts'
export { createInvariantJob, useIndexesOnly } from './jobs.ts'

/**
 * Named invariants of the books, each checked by a query of its own. Guarantees:
 * - a check reads a bounded page of rows in one snapshot;
 * - a violation that two snapshots show stops outgoing payments of the asset, of the merchant, or all of them, in the
 *   database transaction that raises its alert;
 * - only an operator lifts this stop.
 */
export { checkInvariant, checkInvariants, INVARIANTS } from './check.ts'
export { createInvariantJob, useIndexesOnly } from './jobs.ts'

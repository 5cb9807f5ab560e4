/**
 * What each of our addresses should hold: what was seen to come to it, less what we sent from it. Promises that a
 * balance moves in the transaction that moves the cursor past the block, and moves back with it, so that at any block
 * the records add up to the ledger's custody with what is not booked yet, and can be held against the chain address by
 * address.
 */
export { forgetRecent, moveCustody } from './commands.ts'
export {
  comparandsOf,
  countTouched,
  differencesOf,
  driftsOf,
  recordOwnAddresses,
  recordsOf,
  storeComparisons,
  touchEverything,
  touchSince,
  writeDownAddress,
} from './comparisons.ts'
export type { Comparand, Drift } from './comparisons.ts'
export { isInner, sumOf, unknownInner } from './inner.ts'
export { onAccounts, opposite } from './move.ts'
export type { CustodyMove } from './move.ts'
export { bookedAt, explainedAt, recordedTotals, richestOf } from './queries.ts'
export {
  explainAddress,
  recordSurplus,
  suspendedOf,
  suspendForgotten,
  takeOffExplained,
  totalSuspended,
} from './suspended.ts'
export type { Portion } from './suspended.ts'
export { recountTotals, totalsByAccount } from './totals.ts'

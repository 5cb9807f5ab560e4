/**
 * Records of the balance that each of our addresses should have: received minus sent. Guarantees that the same database
 * transaction applies a block to the records and moves the cursor past the block, and that the same holds when a block
 * is reversed. At any block the records therefore add up to the ledger's custody plus the amounts not posted yet, and
 * each can be compared with the balance of its address on the chain.
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
export { bookedAt, bookedWithin, explainedAt, recordedTotals, richestOf } from './queries.ts'
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

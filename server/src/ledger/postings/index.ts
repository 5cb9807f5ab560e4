/**
 * The ledger: the only writer of ledger tables. Guarantees:
 * - entries are appended and never changed;
 * - every transfer adds up to zero for each asset;
 * - a bounded account never has less than zero available;
 * - a hold ends once;
 * - an item is applied together with the rows that belong to it, or not at all.
 */
export { PLATFORM, ruleOf } from './accounts.ts'
export type { AccountKey, AccountKind } from './accounts.ts'
export { apply, applyAll } from './apply.ts'
export { auditLedger, restoreBalance } from './audit.ts'
export type { Finding } from './audit.ts'
export type { Scalar } from './array-literal.ts'
export { createCommitter } from './committer.ts'
export type { Committer } from './committer.ts'
export { findKnown, lockKnown } from './identity.ts'
export type { Identity, Known } from './identity.ts'
export type { Entry } from './judge.ts'
export { mergeEntries } from './posting.ts'
export type { Cause, Item, StoredAnswer, TransferEntry, Outcome, Refusal, RowTable, Settled } from './posting.ts'
export {
  availableOf,
  balancesOf,
  changesOfBalances,
  feesOf,
  lockAccounts,
  placedUnder,
  spendableAccounts,
  accountsOf,
  totalOf,
  totalOfKinds,
  totalsOf,
} from './queries.ts'
export type { Balance, LedgerAccount } from './queries.ts'
export { entriesCausedBy, listEntries, listRange } from './listing.ts'
export type { CausedEntry, PostedEntry } from './listing.ts'
export { anchorDay, isAnchored, sealAccounts } from './seal.ts'
export { verifyLedger } from './verify.ts'

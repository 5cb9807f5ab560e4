import type { Fingerprinted } from '../../platform/base/same-request.ts'
import type { AccountKey } from './accounts.ts'
import type { Scalar } from './array-literal.ts'

/** One entry: units to add to an account's posted amount (credit positive) and to its held amount. */
export interface TransferEntry {
  account: AccountKey
  posted: bigint
  held: bigint
}

/** Why a transfer exists: the object whose change it belongs to. */
export interface Cause {
  kind:
    | 'deposit'
    | 'withdrawal'
    | 'outgoing'
    | 'funding'
    | 'adjustment'
    | 'exchange'
    | 'invoice'
    | 'payment'
    | 'refund'
    | 'card-payout'
    | 'settlement'
    | 'hedge'
  id: string
}

export interface Transfer {
  id: string
  /** The merchant of all its accounts, so that its accounts can be stored together. */
  merchantId: string
  kind: 'hold' | 'capture' | 'release' | 'post'
  cause: Cause
  entries: readonly TransferEntry[]
  /** The transfer whose hold this one ends. Only one transfer can ever end it. */
  closes?: string
  at: Date
}

/** A table to which the statement of a posting can write rows. Column types are PostgreSQL's. */
export interface RowTable {
  name: string
  columns: readonly { name: string; type: string }[]
}

/** An answer that is stored for a repeated request. */
export interface StoredAnswer {
  status: number
  body: string
}

/** An item of a batch. Guards are judged in the order listed here; the first that refuses is the outcome. */
export interface Item {
  transfer: Transfer
  /**
   * Guard 1. Keys of `request_answers`: when one exists, its answer is the outcome and nothing is applied. The answer
   * of the outcome is stored under them; undefined: none is, as a later item answers the request
   */
  answers?: { keys: readonly (Fingerprinted & { key: string })[]; of: (outcome: Settled) => StoredAnswer | undefined }
  /** Guard 2. Taken once per merchant. */
  localId?: { value: string; operation: string }
  /** Written only when the transfer is. */
  rows?: readonly { table: RowTable; values: readonly Scalar[] }[]
}

export type Refusal =
  | { kind: 'refused'; guard: 'local-id-taken'; objectId: string }
  /** Guard 3. The hold to end does not exist, or has ended. */
  | { kind: 'refused'; guard: 'hold-closed' }
  /** Guard 4. A bounded account would have less than zero available. */
  | { kind: 'refused'; guard: 'insufficient'; account: AccountKey; available: bigint }

/** The outcome of an item that was judged now. */
export type Settled = { kind: 'applied' } | Refusal

export type Outcome =
  | Settled
  | { kind: 'answered'; answer: StoredAnswer }
  /** The Idempotency-Key was used before for another request. */
  | { kind: 'key-reused' }

/**
 * Throws unless a transfer is well formed: at least one entry, none empty, one account once, all of the transfer's own
 * merchant (two merchants meet through their clearing accounts), zero in sum per asset.
 */
export const checkTransfer = ({ entries, merchantId: owner }: Transfer): void => {
  const sums = new Map<string, bigint>()
  const seen = new Set<string>()
  if (entries.length === 0) throw new RangeError('a transfer needs entries')
  for (const entry of entries) {
    const { merchantId, asset, kind } = entry.account
    const text = `${merchantId}/${asset}/${kind}`
    if (merchantId !== owner) throw new RangeError(`an entry on ${text} in a transfer of ${owner}`)
    if (entry.posted === 0n && entry.held === 0n) throw new RangeError(`an empty entry on ${text}`)
    if (seen.has(text)) throw new RangeError(`two entries on ${text}`)
    seen.add(text)
    sums.set(asset, (sums.get(asset) ?? 0n) + entry.posted)
  }
  for (const [asset, sum] of sums) if (sum !== 0n) throw new RangeError(`entries in ${asset} add up to ${sum}, not 0`)
}

/** Drops empty entries and joins entries on one account, so that callers need not. */
export const mergeEntries = (entries: readonly TransferEntry[]): TransferEntry[] => {
  const byAccount = new Map<string, TransferEntry>()
  for (const entry of entries) {
    const text = `${entry.account.merchantId}/${entry.account.asset}/${entry.account.kind}`
    const sum = byAccount.get(text) ?? { account: entry.account, posted: 0n, held: 0n }
    byAccount.set(text, { account: entry.account, posted: sum.posted + entry.posted, held: sum.held + entry.held })
  }
  return [...byAccount.values()].filter((entry) => entry.posted !== 0n || entry.held !== 0n)
}

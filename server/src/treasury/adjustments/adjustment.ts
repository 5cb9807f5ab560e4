import type { NamedAccount } from './accounts.ts'
import { accountText } from './accounts.ts'

/** Money that is to be moved in the books, as a second person signs it. */
export interface Adjustment {
  id: string
  asset: string
  /** ledger units */
  units: bigint
  /** the same as a decimal of the asset, for people */
  amount: string
  from: NamedAccount
  to: NamedAccount
  /** `NETWORK/ADDRESS`; null when it is about no address */
  address: string | null
  /** the rejected deposit whose money it is; null when it is about none */
  depositId: string | null
  reason: string
  /** who typed it */
  proposedBy: string
  proposedAt: Date
}

/** So long after it was proposed an adjustment can be applied: a signature is for the books as they were read. */
export const VALID_MS = 7 * 24 * 60 * 60_000

/**
 * The text that the second person signs: one adjustment, whole, of one database. No field holds a line break, so that
 * two adjustments never share a text.
 * @param database the identity of the database, so that a signature is not worth anything in a copy
 */
export const adjustmentText = (adjustment: Adjustment, database: string): string => {
  const { id, asset, units, amount, from, to, address, depositId, reason, proposedBy, proposedAt } = adjustment
  const lines = {
    database,
    id,
    asset,
    amount,
    units,
    from: accountText(from),
    to: accountText(to),
    address: address ?? 'none',
    deposit: depositId ?? 'none',
    'proposed by': proposedBy,
    'proposed at': proposedAt.toISOString(),
    reason,
  }
  return `bursar adjustment v1\n${Object.entries(lines)
    .map(([name, value]) => `${name}: ${String(value)}\n`)
    .join('')}`
}

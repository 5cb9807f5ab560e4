import type { NamedAccount } from './accounts.ts'
import { accountText } from './accounts.ts'

/** An adjustment of the ledger, as a second person signs it. */
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
  /** the rejected deposit whose money is moved; null when there is none */
  depositId: string | null
  reason: string
  /** who proposed it */
  proposedBy: string
  proposedAt: Date
}

/** How long after its proposal an adjustment can be applied: a signature is for the ledger as it was then. */
export const VALID_MS = 7 * 24 * 60 * 60_000

/**
 * Returns the text that the second person signs: one whole adjustment of one database. No field contains a line break,
 * so that two adjustments never have the same text.
 * @param database the identity of the database, so that a signature is not valid in a copy
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

import type { Entry } from '../../ledger/postings/index.ts'

/** The state of an account after the entry of this version. */
export interface AccountVersion {
  version: number
  posted: bigint
  held: bigint
}

export interface AuditedAccount extends AccountVersion {
  id: number
  merchantId: string
  asset: string
  kind: string
  /** the last proved state; zeros at first */
  proved: AccountVersion
}

export type AuditedEntry = Omit<Entry, 'accountId'>

/**
 * Kinds of findings. `balance`: the balance differs from the entries. `history`: an entry does not continue from the
 * one before. `transfer`: an entry's transfer is missing, does not add up to zero, has an account of another merchant,
 * is a hold but moves money, or releases more than a hold of the same cause held. `cause`: an account was credited more
 * than the cause brought, without a cause, or by an exchange with other amounts.
 */
export type FindingKind = 'balance' | 'history' | 'transfer' | 'cause'

export interface Finding {
  accountId: number
  version: number
  finding: FindingKind
  detail: string
}

/**
 * Proves an account by its entries since it was last proved.
 * @param entries in the order of their versions
 * @param isWhole false when there are more entries, so that the account's balance can't be compared yet
 * @param faults faults of single entries, by version, without those that an operator accepted
 * @returns the proved state, and the first finding
 */
export const proveAccount = (
  account: AuditedAccount,
  entries: readonly AuditedEntry[],
  isWhole: boolean,
  faults: ReadonlyMap<number, Pick<Finding, 'finding' | 'detail'>>,
): { proved: AccountVersion; finding: Finding | null } => {
  let proved = account.proved
  const found = (version: number, finding: FindingKind, detail: string) => ({
    proved,
    finding: { accountId: account.id, version, finding, detail },
  })
  for (const entry of entries) {
    const after = { version: proved.version + 1, posted: proved.posted + entry.posted, held: proved.held + entry.held }
    if (entry.version !== after.version)
      return found(after.version, 'history', `entry ${after.version} is missing: the next one is ${entry.version}`)
    if (entry.postedAfter !== after.posted || entry.heldAfter !== after.held) {
      return found(
        entry.version,
        'history',
        `entry ${entry.version} says ${entry.postedAfter}/${entry.heldAfter}, those before it and itself add up to ${after.posted}/${after.held}`,
      )
    }
    const fault = faults.get(entry.version)
    if (fault) return found(entry.version, fault.finding, fault.detail)
    proved = after
  }
  const agrees = account.version === proved.version && account.posted === proved.posted && account.held === proved.held
  if (!isWhole || agrees) return { proved, finding: null }
  return found(
    account.version,
    'balance',
    `the account says ${account.posted}/${account.held} at version ${account.version}, its entries ${proved.posted}/${proved.held} at ${proved.version}`,
  )
}

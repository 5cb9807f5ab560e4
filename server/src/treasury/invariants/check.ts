import type { Db, Tx } from '../../platform/db/index.ts'
import { findInBooks } from './books.ts'
import { cardPayoutInvariants } from './card-payouts.ts'
import { depositInvariants } from './deposits.ts'
import { eventInvariants } from './events.ts'
import { exchangeInvariants } from './exchanges.ts'
import type { Invariant, Page, Violation } from './invariant.ts'
import { invoiceInvariants } from './invoices.ts'
import { ledgerInvariants } from './ledger.ts'
import { withdrawalInvariants } from './withdrawals.ts'

/** Every invariant that is checked in pages, in the order in which they are checked. */
export const INVARIANTS: readonly Invariant[] = [
  ...ledgerInvariants,
  ...withdrawalInvariants,
  ...depositInvariants,
  ...cardPayoutInvariants,
  ...exchangeInvariants,
  ...invoiceInvariants,
  ...eventInvariants,
]

const PAGE = 2_000

/** Reads all rows of an invariant's table, a page at a time. */
async function* pagesOf(invariant: Invariant, db: Db | Tx, most = PAGE): AsyncGenerator<Page> {
  for (let at = invariant.start; ;) {
    const page = await invariant.find(db, at, most)
    yield page
    if (page.next === undefined) return
    at = page.next
  }
}

/** Checks one invariant over all rows. */
export const checkInvariant = async (invariant: Invariant, db: Db | Tx): Promise<Violation[]> => {
  const violations: Violation[] = []
  for await (const page of pagesOf(invariant, db)) violations.push(...page.violations)
  return violations
}

/** Checks every invariant over the whole database. For tests and the simulation: it reads every row of many tables. */
export const checkInvariants = async (db: Db): Promise<Violation[]> => {
  const violations = await findInBooks(db)
  for (const invariant of INVARIANTS) violations.push(...(await checkInvariant(invariant, db)))
  return violations
}

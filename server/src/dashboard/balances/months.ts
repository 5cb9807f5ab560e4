import { creditsOf } from '../../ledger/figures/index.ts'
import type { PostedEntry } from '../../ledger/postings/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { readStatement } from './statement.ts'

/** Months that a statement can be chosen for. */
const OFFERED = 12
/** Entries of a month that its statement lists; their number also bounds the time that the document takes. */
const MOST_LISTED = 500
/** The times of entries may be out of order by so much, so that a month is complete only then, ms. */
const DISORDER_MS = 5 * 60_000

/** A month in UTC. */
export interface Month {
  /** as `2026-10` */
  name: string
  from: Date
  /** the beginning of the next month */
  to: Date
}

/** The newest months that have ended, the last one first. @param now ms */
export const endedMonths = (now: number): Month[] => {
  const complete = new Date(now - DISORDER_MS)
  const [year, month] = [complete.getUTCFullYear(), complete.getUTCMonth()]
  return Array.from({ length: OFFERED }, (_, i) => {
    const from = new Date(Date.UTC(year, month - 1 - i, 1))
    return { name: from.toISOString().slice(0, 7), from, to: new Date(Date.UTC(year, month - i, 1)) }
  })
}

/** A sum of entries with causes of one kind, in ledger units. */
interface CauseSum {
  /** null: of every kind */
  cause: string | null
  /** null: not counted */
  entries: number | null
  units: bigint
}

/** A balance in one month, in ledger units. */
export interface MonthOfBalance {
  opening: bigint
  closing: bigint
  credits: readonly CauseSum[]
  debits: readonly CauseSum[]
  /** the entries that changed the balance, oldest first; null: too many to list */
  changes: readonly PostedEntry[] | null
}

/**
 * Reads a balance in one month. The opening balance, the credits and the debits add up to the closing balance.
 * @returns undefined while the newest entries of the month are not counted yet, which takes half a minute
 */
export const readMonth = async (
  db: Db,
  owned: { merchantId: string; ticker: string },
  { from, to }: Month,
): Promise<MonthOfBalance | undefined> => {
  const page = await readStatement(db, owned, { timeFrom: from, timeTo: to }, undefined, MOST_LISTED)
  const closing = page.closing!
  if (page.opening !== null) {
    const changes = page.rows.filter(({ posted }) => posted !== 0n).toReversed()
    const credits = sumsOf(changes.filter(({ posted }) => posted > 0n))
    const debits = sumsOf(changes.filter(({ posted }) => posted < 0n))
    return { opening: page.opening, closing, credits, debits, changes }
  }
  const days = { first: from.toISOString().slice(0, 10), end: to.toISOString().slice(0, 10) }
  const { sums, countedTo } = await creditsOf(db, owned.merchantId, owned.ticker, days)
  if (countedTo !== page.rows[0]!.version) return undefined
  const opening = (await readStatement(db, owned, { timeFrom: null, timeTo: from }, undefined, 1)).closing!
  const credited = sums.reduce((total, { units }) => total + units, 0n)
  const debited = closing - opening - credited
  const debits = debited === 0n ? [] : [{ cause: null, entries: null, units: debited }]
  return { opening, closing, credits: sums, debits, changes: null }
}

const sumsOf = (entries: readonly PostedEntry[]): CauseSum[] => {
  const sums = new Map<string, { entries: number; units: bigint }>()
  for (const { cause, posted } of entries) {
    const { entries: number, units } = sums.get(cause.kind) ?? { entries: 0, units: 0n }
    sums.set(cause.kind, { entries: number + 1, units: units + posted })
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([cause, sum]) => ({ cause, ...sum }))
}

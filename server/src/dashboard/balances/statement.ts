import { listRange, type PostedEntry } from '../../ledger/postings/index.ts'
import type { Db } from '../../platform/db/index.ts'

const VERSION = /^\d{1,15}$/

export interface StatementRange {
  timeFrom: Date | null
  /** outside the range */
  timeTo: Date | null
}

/** A page of a statement, newest entry first. Amounts are in ledger units. */
export interface Statement {
  rows: readonly PostedEntry[]
  /** the key behind which the next page begins; null: this page is the last */
  next: string | null
  /** the balance, with its held part, at the end of the range; null on later pages */
  closing: bigint | null
  /** the balance at the beginning of the range; null before the last page */
  opening: bigint | null
}

/**
 * Reads a page of a statement. A day begins with its first entry in the order of the ledger, so that its entries add up
 * to the difference of its balances, although times around midnight may be out of order.
 * @param after the `next` of the page before; a text that is none: the first page
 */
export const readStatement = async (
  db: Db,
  { merchantId, ticker }: { merchantId: string; ticker: string },
  range: StatementRange,
  after: string | undefined,
  limit: number,
): Promise<Statement> => {
  const key = after !== undefined && VERSION.test(after) ? after : null
  const { rows, next, balanceBefore } = await listRange(db, merchantId, ticker, { ...range, after: key, limit })
  const isKnown = rows.length > 0 || key === null
  return {
    rows,
    next,
    closing: key === null ? (rows[0]?.postedAfter ?? balanceBefore) : null,
    opening: next === null && isKnown ? balanceBefore : null,
  }
}

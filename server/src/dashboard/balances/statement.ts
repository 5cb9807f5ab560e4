import { listEntries, type PostedEntry } from '../../ledger/postings/index.ts'
import type { Db } from '../../platform/db/index.ts'

/** Entries are in the order of their versions; the time of one may be so much before that of an older one, ms. */
const DISORDER_MS = 5 * 60_000
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
 * Reads a page of a statement. It reads on from the end of the range to the first entry before it, whose balance is the
 * opening balance.
 * @param after the `next` of the page before; a text that is none: the first page
 */
export const readStatement = async (
  db: Db,
  { merchantId, ticker }: { merchantId: string; ticker: string },
  { timeFrom, timeTo }: StatementRange,
  after: string | undefined,
  limit: number,
): Promise<Statement> => {
  const key = after !== undefined && VERSION.test(after) ? after : null
  const page = { limit, after: key, timeFrom: null, timeTo, aheadMs: 0 }
  const listed = await listEntries(db, merchantId, ticker, page)
  const isBefore = ({ at }: PostedEntry): boolean =>
    timeFrom !== null && at.getTime() < timeFrom.getTime() - DISORDER_MS
  const isOutside = ({ at }: PostedEntry): boolean => timeFrom !== null && at < timeFrom
  const read = [...listed.rows]
  let last = listed.next
  // Both ends of the range have a known balance: a page that ends within the disorder around an end is read on.
  while (last !== null && (read.length === 0 || (isOutside(read.at(-1)!) && !read.some(isBefore)))) {
    const more = await listEntries(db, merchantId, ticker, { ...page, after: last })
    read.push(...more.rows)
    last = more.next
  }
  const rows = read.filter((entry) => !isOutside(entry))
  const next = read.some(isBefore) ? null : last
  // No entry at all: the balance was never used, or was not yet used at that time.
  const isKnown = read.length > 0 || key === null
  const newest = read[0]?.postedAfter ?? 0n
  const oldest = rows.at(-1)
  return {
    rows,
    next,
    closing: key === null && isKnown ? newest : null,
    opening: next === null && isKnown ? (oldest === undefined ? newest : oldest.postedAfter - oldest.posted) : null,
  }
}

/**
 * Pages of lists, newest first. A page begins behind the key of the last row of the page before it, so that rows which
 * are added meanwhile move nothing. A statement examines a bounded number of rows for a page, however many there are: a
 * page of a rare condition may be empty although more pages follow.
 */
import { sql, type RawBuilder } from 'kysely'

export interface ListPage {
  /** the most rows, at least 1 */
  limit: number
  /** the key of the last row of the page before it; null: the list begins with its newest row */
  after: string | null
  /** rows that were created at this time or later */
  timeFrom: Date | null
  /** rows that were created before this time */
  timeTo: Date | null
  /** how far the business clock, which dates rows, is ahead of the clock of ids: 0 outside a sandbox */
  aheadMs: number
}

/** The first page of all rows, outside a sandbox. @param limit the most rows */
export const firstPage = (limit: number): ListPage => ({ limit, after: null, timeFrom: null, timeTo: null, aheadMs: 0 })

export interface Listed<Row> {
  rows: Row[]
  /** the key behind which the next page begins; null: this page is the last */
  next: string | null
}

/** Maximum number of rows that a statement examines for one page. */
export const MOST_EXAMINED = 2_000

/** Columns that the statement of a list adds to its rows. */
export interface Examined {
  /** whether the row fits the conditions */
  fits: boolean
  /** position among the examined rows, from 1 */
  examined: number
}

/** The columns of `Examined`. @param order of the rows, the newest first @param conditions that a row must fit */
export const examination = (order: RawBuilder<unknown>, conditions: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`row_number() over (order by ${order})::int4 as examined, coalesce(${conditions}, false) as fits`

/**
 * The rows of a page: those that fit, at most one more than the limit, and the last examined one if that is number
 * MOST_EXAMINED.
 * @param select rows with the columns of `examination`, in that order
 * @param order the same order, by names of the selected columns
 */
export const rowsOfPage = (
  select: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  { limit }: Pick<ListPage, 'limit'>,
): RawBuilder<unknown> =>
  sql`select * from (${select} limit ${MOST_EXAMINED}) e
    where e.fits or e.examined = ${MOST_EXAMINED} order by ${order} limit ${limit + 1}`

/** Makes a page of the rows of `rowsOfPage`. */
export const pageOf = <Row extends Examined>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => string,
): Listed<Omit<Row, keyof Examined>> => {
  const fitting = rows.filter(({ fits }) => fits)
  const [last, lastShown] = [rows.at(-1), fitting[limit - 1]]
  const isCut = fitting.length > limit
  const isMore = last !== undefined && (isCut || last.examined === MOST_EXAMINED)
  return {
    rows: fitting.slice(0, limit).map(({ fits: _, examined: __, ...row }) => row),
    next: isMore ? keyOf(isCut ? lastShown! : last) : null,
  }
}

/** An id may be made this long before or after the time with which its row is dated. */
const SLACK_MS = 5 * 60_000
export const LEAST_ID = '00000000-0000-0000-0000-000000000000'
const GREATEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The least UUID of version 7 of a time. */
const idAt = (ms: number): string => {
  const hex = Math.max(0, Math.min(ms, 2 ** 48 - 1))
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}${LEAST_ID.slice(13)}`
}

/**
 * The ids, which are UUIDs of version 7, among which all rows of a page are. The rows' own times are still to be
 * compared.
 * @returns `least` is inside, `before` is outside
 */
export const idsOfPage = ({ after, timeFrom, timeTo, aheadMs }: ListPage): { least: string; before: string } => {
  const byTime = timeTo === null ? GREATEST_ID : idAt(timeTo.getTime() + SLACK_MS)
  return {
    least: timeFrom === null ? LEAST_ID : idAt(timeFrom.getTime() - aheadMs - SLACK_MS),
    before: after === null || after > byTime ? byTime : after,
  }
}

/** The id, a UUID of version 7, is among those of the page. */
export const isInPage = (column: RawBuilder<unknown>, page: ListPage): RawBuilder<unknown> => {
  const { least, before } = idsOfPage(page)
  return sql`${column} >= ${least} and ${column} < ${before}`
}

/** The id is one of these; null: any id is. */
export const isAnyOf = (column: RawBuilder<unknown>, ids: readonly string[] | null): RawBuilder<unknown> =>
  sql`(${ids}::uuid[] is null or ${column} = any(${ids}::uuid[]))`

/** The id is this one; null: any id is. A plain comparison, so that an index gives its rows in their order. */
export const isId = (column: RawBuilder<unknown>, id: string | null): RawBuilder<unknown> =>
  id === null ? sql`true` : sql`${column} = ${id}::uuid`

/** Those of the ids that were found that were asked for. @param asked null: all */
export const askedOf = (asked: readonly string[] | null, found: readonly string[]): readonly string[] =>
  asked === null ? found : found.filter((id) => asked.includes(id))

/** The column has this value, if there is one to compare with. */
export const isValue = (column: RawBuilder<unknown>, value: string | null): RawBuilder<unknown> =>
  sql`(${value}::text is null or ${column} = ${value}::text)`

/** `isValue` of a column whose index has the hash of its text. */
export const isHashedValue = (column: RawBuilder<unknown>, value: string | null): RawBuilder<unknown> =>
  sql`(${value}::text is null or (md5(${column}) = md5(${value}::text) and ${column} = ${value}::text))`

/** The column has one of these values; null: any. */
export const isAmong = (column: RawBuilder<unknown>, values: readonly string[] | null): RawBuilder<unknown> =>
  sql`(${values && [...values]}::text[] is null or ${column} = any(${values && [...values]}::text[]))`

/** The time is within the page's. */
export const isInTime = (
  column: RawBuilder<unknown>,
  { timeFrom, timeTo }: Pick<ListPage, 'timeFrom' | 'timeTo'>,
): RawBuilder<unknown> =>
  sql`((${timeFrom}::timestamptz is null or ${column} >= ${timeFrom}::timestamptz)
    and (${timeTo}::timestamptz is null or ${column} < ${timeTo}::timestamptz))`

/** Bounds of an amount in ledger units, both inside; null: no bound. */
export interface UnitRange {
  unitsFrom: bigint | null
  unitsTo: bigint | null
}

/** The amount is within the bounds. */
export const isInUnits = (column: RawBuilder<unknown>, { unitsFrom, unitsTo }: UnitRange): RawBuilder<unknown> =>
  sql`((${unitsFrom}::numeric is null or ${column} >= ${unitsFrom}::numeric)
    and (${unitsTo}::numeric is null or ${column} <= ${unitsTo}::numeric))`

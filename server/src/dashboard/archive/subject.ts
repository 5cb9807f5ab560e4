import { LEAST_ID } from '../../platform/lists/page.ts'
import type { KeyedPage } from '../../platform/lists/keyed.ts'

/** A row of an archive: the member of a JSON Lines file, and a line of a CSV by its columns. Times are ms. */
export type ArchiveRow = Readonly<Record<string, unknown>>

/** A table of an archive. */
export interface Subject {
  /** of its files, without an ending */
  name: string
  /** of the CSV: paths into the row, such as `amount.value` */
  columns: readonly string[]
  /** one sentence of the README */
  about: string
  /** reads all rows, page by page, each page in statements of its own */
  pages: AsyncIterable<readonly ArchiveRow[]>
}

/** Rows of a page of an archive. */
export const ROWS = 1_000

/** Pages of rows that are read in the order of their ids. */
export async function* pagesById<Row>(
  before: Date,
  read: (page: KeyedPage) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
  rowOf: (row: Row) => ArchiveRow,
): AsyncGenerator<readonly ArchiveRow[]> {
  for await (const rows of rowsById(before, ROWS, read, idOf)) yield rows.map(rowOf)
}

/** Rows that are read in the order of their ids, some at a time. @param limit the most rows at a time */
export async function* rowsById<Row>(
  before: Date,
  limit: number,
  read: (page: KeyedPage) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
): AsyncGenerator<readonly Row[]> {
  for (let after = LEAST_ID; ;) {
    const rows = await read({ after, before, limit })
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) return
    after = idOf(last)
  }
}

/** One page. */
export async function* pageOf(read: () => Promise<readonly ArchiveRow[]>): AsyncGenerator<readonly ArchiveRow[]> {
  yield await read()
}

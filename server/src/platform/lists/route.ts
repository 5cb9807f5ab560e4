import { listPage, type Operation } from '@bursar/contract'
import type { ApiRequest, Route } from '../api/route.ts'
import { isUuid } from '../base/id.ts'
import type { Clock } from '../runtime/clock.ts'
import { csvLine, csvText } from './csv.ts'
import type { ListPage } from './page.ts'
import { cursorOf, readPage, type ListQuery } from './reading.ts'

/** What a list is asked for. */
export interface Asked {
  merchantId: string
  query: ListQuery
  page: ListPage
}

/** Items of a page as the contract has them, and the key behind which the next page begins. */
export interface Items {
  items: readonly object[]
  next: string | null
}

/**
 * The route of a list of the contract. Its CSV has every item behind `after`; it is read page by page, each page in a
 * statement of its own, so that it takes the same memory however long it is.
 * @param read reads a page; throws an ApiRefusal for a filter that is not valid
 * @param isKey whether a text is a key of this list
 */
export const listRoute = (
  { id, path, csv }: Operation,
  clock: Clock,
  read: (asked: Asked) => Promise<Items>,
  isKey: (key: string) => boolean = isUuid,
): Route => ({
  operation: id,
  handle: async ({ merchantId, query }) => {
    const { items, next } = await read({ merchantId, query, page: readPage(id, query, clock, isKey) })
    return { status: 200, body: { items, ...(next === null ? {} : { next: cursorOf(id, next) }) } }
  },
  stream: ({ merchantId, query }: ApiRequest) => {
    if (query.format !== 'csv') return undefined
    const first = { ...readPage(id, query, clock, isKey), limit: listPage.max }
    const fileName = `${path.split('/').at(-1)}.csv`
    const pieces = csvPieces(csv!, first, (page) => read({ merchantId, query, page }))
    return { contentType: 'text/csv; charset=utf-8; header=present', fileName, pieces }
  },
})

/** A page without rows is an empty piece: the sender then looks whether the client is still there. */
async function* csvPieces(
  columns: readonly string[],
  first: ListPage,
  read: (page: ListPage) => Promise<Items>,
): AsyncGenerator<string> {
  let [page, head]: [ListPage, string] = [first, csvLine(columns)]
  for (;;) {
    const { items, next } = await read(page)
    const text = head + items.map((item) => csvLine(columns.map((column) => csvText(item, column)))).join('')
    yield text
    if (next === null) return
    head = ''
    page = { ...page, after: next }
  }
}

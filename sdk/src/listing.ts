import type { Call, CallOptions } from './call.ts'
import type { OperationId, Operations } from './generated.ts'

/** The operations that answer a page of a list. */
type ListId = {
  [Id in OperationId]: Operations[Id]['answer'] extends { items: unknown[] } ? Id : never
}[OperationId]

type Query<Id extends ListId> = Operations[Id]['input']['query']
type Page<Id extends ListId> = Operations[Id]['answer']

/** Filters of a list; an item fits all that are given. */
export type ListFilter<Id extends ListId> = Omit<Query<Id>, 'after' | 'limit' | 'format' | 'timeFrom' | 'timeTo'> & {
  /** Created at this time or later. */
  readonly timeFrom?: Date | undefined
  /** Created before this time. */
  readonly timeTo?: Date | undefined
  /** The most items in one answer: 1 to 1000; default: 100. */
  readonly limit?: number | undefined
}

/** Filters, and where the page begins. */
export type PageFilter<Id extends ListId> = ListFilter<Id> & {
  /** The `next` of the previous page; the first page when undefined. */
  readonly after?: string | undefined
}

const queryOf = <Id extends ListId>({ timeFrom, timeTo, limit, ...rest }: PageFilter<Id>): Query<Id> =>
  ({
    ...rest,
    timeFrom: timeFrom?.getTime().toString(),
    timeTo: timeTo?.getTime().toString(),
    limit: limit?.toString(),
  }) as Query<Id>

/** The methods of a list. */
export const listing = <Id extends ListId>(call: Call, id: Id) => {
  const page = (filter: PageFilter<Id>, options?: CallOptions): Promise<Page<Id>> =>
    call(id, { query: queryOf(filter) } as Operations[Id]['input'], options)

  async function* list(filter: ListFilter<Id>, options?: CallOptions): AsyncGenerator<Page<Id>['items'][number]> {
    let after: string | undefined
    do {
      const { items, next }: { items: Page<Id>['items']; next?: string } = await page({ ...filter, after }, options)
      yield* items
      after = next
    } while (after !== undefined)
  }

  return {
    /** One page, newest first. It may have fewer items than `limit` while it has `next`. */
    page,
    /** Every item, newest first, read page by page. */
    list,
  }
}

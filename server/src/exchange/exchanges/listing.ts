import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import {
  idsOfPage,
  isInTime,
  isValue,
  MOST_EXAMINED,
  pageOf,
  type Examined,
  type Listed,
  type ListPage,
} from '../../platform/lists/page.ts'
import { EXCHANGE, type FoundExchange } from './store.ts'

/** Conditions on exchanges, all of which hold; null: any. */
export interface ExchangeFilter {
  ids: readonly string[] | null
  state: FoundExchange['state'] | null
  spendTicker: string | null
  targetTicker: string | null
  /** of the exchange itself, not of a withdrawal that was ordered with it */
  meta: string | null
}

/** A page of a merchant's exchanges, newest first. The key of a row is its id. */
export const listExchanges = async (
  db: Db,
  merchantId: string,
  { ids, ...filter }: ExchangeFilter,
  page: ListPage,
): Promise<Listed<FoundExchange>> => {
  const { least, before } = idsOfPage(page)
  const { rows } = await sql<FoundExchange & Examined>`select * from (
      select ${EXCHANGE}, row_number() over (order by e.id desc)::int4 as examined,
        coalesce(${isValue(sql`e.state`, filter.state)} and ${isValue(sql`e.spend_ticker`, filter.spendTicker)}
          and ${isValue(sql`e.target_ticker`, filter.targetTicker)} and ${isValue(sql`e.meta`, filter.meta)}
          and ${isInTime(sql`e.created_at`, page)}, false) as fits
      from exchanges e
      where e.merchant_id = ${merchantId} and e.id >= ${least} and e.id < ${before}
        and (${ids && [...ids]}::uuid[] is null or e.id = any(${ids && [...ids]}::uuid[]))
      order by e.id desc limit ${MOST_EXAMINED}) x
    where x.fits or x.examined = ${MOST_EXAMINED} order by x.id desc limit ${page.limit + 1}`.execute(db)
  return pageOf(rows, page.limit, ({ id }) => id)
}

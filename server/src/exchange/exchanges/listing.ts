import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import {
  examination,
  isAnyOf,
  isInPage,
  isInTime,
  isValue,
  pageOf,
  rowsOfPage,
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
  const conditions = sql`${isValue(sql`e.state`, filter.state)} and ${isValue(sql`e.spend_ticker`, filter.spendTicker)}
    and ${isValue(sql`e.target_ticker`, filter.targetTicker)} and ${isValue(sql`e.meta`, filter.meta)}
    and ${isInTime(sql`e.created_at`, page)}`
  const select = sql`select ${EXCHANGE}, ${examination(sql`e.id desc`, conditions)}
    from exchanges e
    where e.merchant_id = ${merchantId} and ${isInPage(sql`e.id`, page)} and ${isAnyOf(sql`e.id`, ids)}
    order by e.id desc`
  const { rows } = await sql<FoundExchange & Examined>`${rowsOfPage(select, sql`id desc`, page)}`.execute(db)
  return pageOf(rows, page.limit, ({ id }) => id)
}

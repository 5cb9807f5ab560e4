import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import {
  examination,
  isAmong,
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
import type { RefundState } from './refund-machine.ts'
import { REFUND_COLUMNS, type Refund } from './refund-store.ts'

/** Conditions on refunds of card payments, all of which hold; null: any. */
export interface RefundFilter {
  ids: readonly string[] | null
  states: readonly RefundState[] | null
  ticker: string | null
}

/** A refund with what a member recognises it by. */
export interface ListedRefund extends Refund {
  invoiceId: string
  maskedCard: string | null
}

/** A page of the refunds of a merchant's card payments, newest first. The key of a row is its id. */
export const listRefunds = async (
  db: Db,
  merchantId: string,
  { ids, states, ticker }: RefundFilter,
  page: ListPage,
): Promise<Listed<ListedRefund>> => {
  const conditions = sql`${isAmong(sql`r.state`, states)} and ${isValue(sql`r.ticker`, ticker)}
    and ${isInTime(sql`r.created_at`, page)}`
  const select = sql`select ${REFUND_COLUMNS}, p.invoice_id as "invoiceId", p.masked_card as "maskedCard",
      ${examination(sql`r.id desc`, conditions)}
    from payment_refunds r join payments p on p.merchant_id = r.merchant_id and p.id = r.payment_id
    where r.merchant_id = ${merchantId} and ${isInPage(sql`r.id`, page)} and ${isAnyOf(sql`r.id`, ids)}
    order by r.id desc`
  const { rows } = await sql<ListedRefund & Examined>`${rowsOfPage(select, sql`id desc`, page)}`.execute(db)
  return pageOf(rows, page.limit, ({ id }) => id)
}

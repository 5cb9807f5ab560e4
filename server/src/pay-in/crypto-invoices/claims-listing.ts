import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
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
import { CLAIM_COLUMNS, DETAIL_COLUMNS, type ClaimDetail, type ClaimKey, type ClaimState } from './claims-store.ts'

/** Conditions on claims, all of which hold; null: any. */
export interface ClaimFilter {
  ids: readonly string[] | null
  states: readonly ClaimState[] | null
  ticker: string | null
}

const FROM =
  sql.raw(`from refund_claims c join crypto_invoices i on i.merchant_id = c.merchant_id and i.id = c.invoice_id
  and i.ticker is not null and i.blockchain is not null`)

/** A page of the claims at a merchant, newest first. The key of a row is its id. */
export const listClaimsOf = async (
  db: Db,
  merchantId: string,
  { ids, states, ticker }: ClaimFilter,
  page: ListPage,
): Promise<Listed<ClaimDetail>> => {
  const conditions = sql`${isAmong(sql`c.state`, states)} and ${isValue(sql`i.ticker`, ticker)}
    and ${isInTime(sql`c.requested_at`, page)}`
  const select = sql`select ${CLAIM_COLUMNS}, ${DETAIL_COLUMNS}, ${examination(sql`c.id desc`, conditions)}
    ${FROM} where c.merchant_id = ${merchantId} and ${isInPage(sql`c.id`, page)} and ${isAnyOf(sql`c.id`, ids)}
    order by c.id desc`
  const { rows } = await sql<ClaimDetail & Examined>`${rowsOfPage(select, sql`id desc`, page)}`.execute(db)
  return pageOf(rows, page.limit, ({ id }) => id)
}

/** A claim at a merchant. */
export const findClaim = async (db: Db | Tx, { merchantId, id }: ClaimKey): Promise<ClaimDetail | undefined> =>
  (
    await sql<ClaimDetail>`select ${CLAIM_COLUMNS}, ${DETAIL_COLUMNS} ${FROM}
      where c.merchant_id = ${merchantId} and c.id = ${id}`.execute(db)
  ).rows[0]

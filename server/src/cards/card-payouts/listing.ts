import { sql } from 'kysely'
import { placedUnder } from '../../ledger/postings/index.ts'
import type { Db } from '../../platform/db/index.ts'
import {
  askedOf,
  examination,
  isAnyOf,
  isInPage,
  isInTime,
  isInUnits,
  isValue,
  pageOf,
  rowsOfPage,
  type Examined,
  type Listed,
  type ListPage,
  type UnitRange,
} from '../../platform/lists/page.ts'
import type { Part, Payout } from './payout.ts'
import { partsOfPayouts, PAYOUT } from './store.ts'

/** Conditions on payouts, all of which hold; null: any. */
export interface PayoutFilter extends UnitRange {
  ids: readonly string[] | null
  /** PENDING until every part has ended */
  status: 'PENDING' | 'DONE' | null
  ticker: string | null
  meta: string | null
  /** of the merchant's order: of a payout, or of an exchange with payout */
  localId: string | null
}

const STATUS = sql.raw(`case when p.open_parts = 0 then 'DONE' else 'PENDING' end`)

export interface ListedPayout {
  payout: Payout
  parts: readonly Part[]
}

/** A page of a merchant's card payouts with their parts, newest first. The key of a row is its id. */
export const listPayouts = async (
  db: Db,
  merchantId: string,
  filter: PayoutFilter,
  page: ListPage,
): Promise<Listed<ListedPayout>> => {
  const ids = await idsOf(db, merchantId, filter)
  const conditions = sql`${isValue(STATUS, filter.status)} and ${isValue(sql`p.ticker`, filter.ticker)}
    and ${isValue(sql`p.meta`, filter.meta)}
    and ${isInUnits(sql`p.units`, filter)} and ${isInTime(sql`p.created_at`, page)}`
  const select = sql`select ${PAYOUT}, ${examination(sql`p.id desc`, conditions)}
    from card_payouts p
    where p.merchant_id = ${merchantId} and ${isInPage(sql`p.id`, page)} and ${isAnyOf(sql`p.id`, ids)}
    order by p.id desc`
  const { rows } = await sql<Payout & Examined>`${rowsOfPage(select, sql`id desc`, page)}`.execute(db)
  const { rows: payouts, next } = pageOf(rows, page.limit, ({ id }) => id)
  const parts = await partsOfPayouts(
    db,
    merchantId,
    payouts.map(({ id }) => id),
  )
  return { rows: payouts.map((payout) => ({ payout, parts: parts.get(payout.id) ?? [] })), next }
}

/** The ids among which the payouts are; null: any. */
const idsOf = async (db: Db, merchantId: string, { ids, localId }: PayoutFilter): Promise<readonly string[] | null> => {
  if (localId === null) return ids
  const placed = await placedUnder(db, merchantId, localId)
  return placed ? askedOf(ids, [placed.objectId]) : []
}

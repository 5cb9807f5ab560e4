import { sql } from 'kysely'
import { placedUnder } from '../../ledger/postings/index.ts'
import type { Db } from '../../platform/db/index.ts'
import {
  idsOfPage,
  isInTime,
  isInUnits,
  isValue,
  MOST_EXAMINED,
  pageOf,
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
  const { least, before } = idsOfPage(page)
  const ids = await idsOf(db, merchantId, filter)
  const { rows } = await sql<Payout & Examined>`select * from (
      select ${PAYOUT}, row_number() over (order by p.id desc)::int4 as examined,
        coalesce(${isValue(STATUS, filter.status)} and ${isValue(sql`p.ticker`, filter.ticker)}
          and ${isValue(sql`p.meta`, filter.meta)}
          and ${isInUnits(sql`p.units`, filter)} and ${isInTime(sql`p.created_at`, page)}, false) as fits
      from card_payouts p
      where p.merchant_id = ${merchantId} and p.id >= ${least} and p.id < ${before}
        and (${ids}::uuid[] is null or p.id = any(${ids}::uuid[]))
      order by p.id desc limit ${MOST_EXAMINED}) e
    where e.fits or e.examined = ${MOST_EXAMINED} order by e.id desc limit ${page.limit + 1}`.execute(db)
  const { rows: payouts, next } = pageOf(rows, page.limit, ({ id }) => id)
  const parts = await partsOfPayouts(
    db,
    merchantId,
    payouts.map(({ id }) => id),
  )
  return { rows: payouts.map((payout) => ({ payout, parts: parts.get(payout.id) ?? [] })), next }
}

/** The ids among which the payouts are; null: any. */
const idsOf = async (db: Db, merchantId: string, { ids, localId }: PayoutFilter): Promise<string[] | null> => {
  if (localId === null) return ids && [...ids]
  const placed = await placedUnder(db, merchantId, localId)
  return placed && (ids === null || ids.includes(placed.objectId)) ? [placed.objectId] : []
}

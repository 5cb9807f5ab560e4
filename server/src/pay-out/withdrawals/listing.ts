import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { transactionsOfHash } from '../../chain/transactions/index.ts'
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
import type { WireStatus } from './notice.ts'
import { COLUMNS } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

/** Conditions on withdrawals, all of which hold; null: any. */
export interface WithdrawalFilter extends UnitRange {
  ids: readonly string[] | null
  /** the newest status that was notified */
  status: WireStatus | null
  ticker: string | null
  blockchain: Network | null
  meta: string | null
  /** of the merchant's order: of a withdrawal, or of an exchange with withdrawal */
  localId: string | null
  /** the destination, in canonical form or as the merchant wrote it */
  address: string | null
  /** of a transaction that was signed for it */
  hash: string | null
}

/** `wireStatus` in SQL. */
const STATUS = sql.raw(`case when w.state = 'failed' then 'Failed' when w.done_sent then 'Done' else 'Pending' end`)

/**
 * A page of a merchant's withdrawals, those that follow an exchange included, newest first. The key of a row is its id.
 */
export const listWithdrawals = async (
  db: Db,
  merchantId: string,
  filter: WithdrawalFilter,
  page: ListPage,
): Promise<Listed<Withdrawal>> => {
  const ids = await idsOf(db, merchantId, filter)
  const { address } = filter
  const conditions = sql`${isValue(STATUS, filter.status)} and ${isValue(sql`w.ticker`, filter.ticker)}
    and ${isValue(sql`w.blockchain`, filter.blockchain)} and ${isValue(sql`w.meta`, filter.meta)}
    and (${address}::text is null or w.to_address = ${address}::text or w.to_as_sent = ${address}::text)
    and ${isInUnits(sql`w.units`, filter)} and ${isInTime(sql`w.created_at`, page)}`
  const select = sql`select ${COLUMNS}, ${examination(sql`w.id desc`, conditions)}
    from withdrawals w
    where w.merchant_id = ${merchantId} and ${isInPage(sql`w.id`, page)} and ${isAnyOf(sql`w.id`, ids)}
    order by w.id desc`
  const { rows } = await sql<Withdrawal & Examined>`${rowsOfPage(select, sql`id desc`, page)}`.execute(db)
  return pageOf(rows, page.limit, ({ id }) => id)
}

/** The ids among which the withdrawals are; null: any. */
const idsOf = async (
  db: Db,
  merchantId: string,
  { ids, localId, hash }: WithdrawalFilter,
): Promise<readonly string[] | null> => {
  let among = ids
  if (localId !== null) {
    const placed = await placedUnder(db, merchantId, localId)
    among = placed ? askedOf(among, [placed.objectId]) : []
  }
  return hash === null ? among : askedOf(among, await idsOfHash(db, merchantId, hash))
}

const idsOfHash = async (db: Db, merchantId: string, hash: string): Promise<string[]> => {
  const outgoing = await transactionsOfHash(db, hash)
  const { rows } = await sql<{ id: string }>`select w.id from withdrawals w
    where w.outgoing_id = any(${outgoing}::uuid[]) and w.merchant_id = ${merchantId}`.execute(db)
  return rows.map(({ id }) => id)
}

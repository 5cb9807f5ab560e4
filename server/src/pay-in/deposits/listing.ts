import { NETWORKS, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import {
  askedOf,
  examination,
  isAmong,
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
import type { Deposit, WireStatus } from './deposit.ts'
import { DEPOSIT_COLUMNS } from './store.ts'

/** Conditions on deposits, all of which hold; null: any. */
export interface DepositFilter extends UnitRange {
  ids: readonly string[] | null
  /** the newest status that was notified is one of these */
  statuses: readonly WireStatus[] | null
  /** only those at addresses that belong to no invoice */
  isPlain: boolean
  asset: string | null
  network: Network | null
  /** meta of the address */
  meta: string | null
  address: string | null
  /** of the chain transaction, in the spelling of its network */
  hash: string | null
}

/** The newest status that was notified; the column keeps its released name. */
const STATUS = sql.ref('d.told')

/** A page of a merchant's deposits, newest first. The key of a row is its id. */
export const listDeposits = async (
  db: Db,
  merchantId: string,
  filter: DepositFilter,
  page: ListPage,
): Promise<Listed<Deposit>> => {
  const ids = await idsOf(db, merchantId, filter)
  const conditions = sql`${isAmong(STATUS, filter.statuses)} and ${isValue(sql`d.asset`, filter.asset)}
    and ${isValue(sql`d.network`, filter.network)} and ${isValue(sql`d.meta`, filter.meta)}
    and ${isInUnits(sql`d.units`, filter)} and ${isInTime(sql`d.created_at`, page)}
    and (not ${filter.isPlain} or not exists (select from crypto_invoices c
      where c.merchant_id = d.merchant_id and c.address_id = d.address_id))`
  const select = sql`select ${DEPOSIT_COLUMNS}, ${examination(sql`d.id desc`, conditions)}
    from deposits d
    where d.merchant_id = ${merchantId} and ${isInPage(sql`d.id`, page)} and ${isAnyOf(sql`d.id`, ids)}
      and ${isValue(sql`d.address`, filter.address)}
    order by d.id desc`
  const { rows } = await sql<Deposit & Examined>`${rowsOfPage(select, sql`id desc`, page)}`.execute(db)
  return pageOf(rows, page.limit, ({ id }) => id)
}

/** The ids among which the deposits are; null: any. A transaction is found by its hash, and has few deposits. */
const idsOf = async (db: Db, merchantId: string, { ids, hash }: DepositFilter): Promise<readonly string[] | null> => {
  if (hash === null) return ids
  const { rows } = await sql<{ id: string }>`select d.id from deposits d
    where d.network = any(${[...NETWORKS]}::text[]) and d.transaction = ${hash} and d.merchant_id = ${merchantId}
      and not d.internal and not (d.index = 'f' or d.index like 'w:%' or d.index like 'b:%')`.execute(db)
  return askedOf(
    ids,
    rows.map(({ id }) => id),
  )
}

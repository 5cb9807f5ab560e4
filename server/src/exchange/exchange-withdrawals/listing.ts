import { sql } from 'kysely'
import { placedUnder } from '../../ledger/postings/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { askedOf, type Listed, type ListPage } from '../../platform/lists/page.ts'
import { listExchanges, type ExchangeFilter, type FoundExchange } from '../exchanges/index.ts'
import type { ExchangeWithdrawal } from './store.ts'

/** The withdrawal or card payout that was ordered together with an exchange. `id` is its own id. */
export type Attached = ExchangeWithdrawal & { id: string }

export interface ListedExchange {
  exchange: FoundExchange
  withdrawal: Attached | undefined
}

export interface ExchangeWithPayoutFilter extends ExchangeFilter {
  /** of the merchant's order: of an exchange, or of an exchange with withdrawal; null: any */
  localId: string | null
}

/**
 * A page of a merchant's exchanges with their withdrawals, newest first. Pages are delimited by the id of the exchange.
 */
export const listExchangesWithPayouts = async (
  db: Db,
  merchantId: string,
  filter: ExchangeWithPayoutFilter,
  page: ListPage,
): Promise<Listed<ListedExchange>> => {
  const ids = await idsOf(db, merchantId, filter)
  const { rows, next } = await listExchanges(db, merchantId, { ...filter, ids }, page)
  const attached = await attachedTo(
    db,
    merchantId,
    rows.map(({ id }) => id),
  )
  return { rows: rows.map((exchange) => ({ exchange, withdrawal: attached.get(exchange.id) })), next }
}

const attachedTo = async (
  db: Db,
  merchantId: string,
  exchangeIds: readonly string[],
): Promise<ReadonlyMap<string, Attached>> => {
  const { rows } =
    await sql<Attached>`select id, exchange_id as "exchangeId", kind, local_id as "localId", meta, caused_by as "causedBy"
    from exchange_withdrawals where merchant_id = ${merchantId} and exchange_id = any(${[...exchangeIds]}::uuid[])`.execute(
      db,
    )
  return new Map(rows.map((row) => [row.exchangeId, row]))
}

/** The ids among which the exchanges are; null: any. */
const idsOf = async (
  db: Db,
  merchantId: string,
  { ids, localId }: ExchangeWithPayoutFilter,
): Promise<readonly string[] | null> => {
  if (localId === null) return ids
  const placed = await placedUnder(db, merchantId, localId)
  if (!placed) return []
  const { rows } = await sql<{ id: string }>`select exchange_id as id from exchange_withdrawals
    where merchant_id = ${merchantId} and id = ${placed.objectId}`.execute(db)
  return askedOf(ids, [placed.objectId, ...rows.map(({ id }) => id)])
}

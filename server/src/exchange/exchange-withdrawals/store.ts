import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { Item, RowTable, Scalar } from '../../ledger/postings/index.ts'
import type { CausedBy } from './notice.ts'

export interface ExchangeWithdrawal {
  exchangeId: string
  kind: 'crypto' | 'fiat'
  localId: string | null
  meta: string | null
  causedBy: CausedBy | null
}

/** How an exchange with withdrawal is stored, in the statement that holds the money of its withdrawal. */
export const exchangeWithdrawalRows: RowTable = {
  name: 'exchange_withdrawals',
  columns: [
    { name: 'merchant_id', type: 'uuid' },
    { name: 'id', type: 'uuid' },
    { name: 'exchange_id', type: 'uuid' },
    { name: 'kind', type: 'text' },
    { name: 'local_id', type: 'text' },
    { name: 'meta', type: 'text' },
    { name: 'caused_by', type: 'text' },
    { name: 'created_at', type: 'timestamptz' },
  ],
}

/** @param hold of its withdrawal, which has the same id */
export const rowOf = (
  { exchangeId, kind, localId, meta, causedBy }: ExchangeWithdrawal,
  { merchantId, cause, at }: Item['transfer'],
): Scalar[] => [merchantId, cause.id, exchangeId, kind, localId, meta, causedBy, at.toISOString()]

/** The ids of exchanges that conversions of these payments have made to send the bought money. */
export const exchangesSentOn = async (db: Db, merchantId: string, causeIds: readonly string[]): Promise<string[]> =>
  (
    await sql<{ id: string }>`select exchange_id as id from exchange_withdrawals
      where merchant_id = ${merchantId} and local_id = any(${[...causeIds]}::text[]) and caused_by is not null`.execute(
      db,
    )
  ).rows.map(({ id }) => id)

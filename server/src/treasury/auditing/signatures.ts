import { sql } from 'kysely'
import { forgedAdjustments } from '../adjustments/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { EntryAsked, Fault } from './store.ts'

/**
 * Returns credits by adjustments without a valid signature of an authorised person, even if the rows of the database
 * state one.
 */
export const unsignedCredits = async (db: Db, asked: readonly EntryAsked[]): Promise<Fault[]> => {
  const { rows } = await sql<{
    accountId: number
    version: number
    cause: string
  }>`select u.a as "accountId", u.v as version, t.cause_id as cause
    from unnest(${asked.map((e) => e.accountId)}::bigint[], ${asked.map((e) => e.merchantId)}::uuid[], ${asked.map((e) => e.version)}::bigint[], ${asked.map((e) => e.transferId)}::uuid[]) u(a, m, v, t)
    cross join lateral (select * from ledger_transfers t where t.merchant_id = u.m and t.id = u.t offset 0) t
    where t.cause_kind = 'adjustment' and exists (select from adjustment_signatures s where s.adjustment_id = t.cause_id)`.execute(
    db,
  )
  if (rows.length === 0) return []
  const forged = await forgedAdjustments(db, [...new Set(rows.map(({ cause }) => cause))])
  return rows.flatMap(({ accountId, version, cause }) => {
    const why = forged.get(cause)
    return why === undefined ? [] : [{ accountId, version, detail: `it is credited by adjustment ${cause}: ${why}` }]
  })
}

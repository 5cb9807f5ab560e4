import { sql } from 'kysely'
import type { Moment } from '../base/moment.ts'
import type { Db, Tx } from '../db/index.ts'

export interface Freeze {
  id: string
  asset: string | null
  merchantId: string | null
  reason: string
  createdAt: Date
}

/** Stops withdrawals of an asset, a merchant, or both; of everything when both are null. The same freeze is made once. */
export const freeze = async (
  tx: Db | Tx,
  what: { asset: string | null; merchantId: string | null; reason: string },
  { at, newId }: Moment,
): Promise<void> => {
  await sql`insert into freezes(id, asset, merchant_id, reason, created_at)
    select ${newId()}, ${what.asset}::text, ${what.merchantId}::uuid, ${what.reason}, ${at}
    where not exists (select from freezes where lifted_at is null and reason = ${what.reason}
      and asset is not distinct from ${what.asset} and merchant_id is not distinct from ${what.merchantId}::uuid)`.execute(tx)
}

/** Lifts a freeze; false when there is none with this id in force. */
export const liftFreeze = async (tx: Db | Tx, id: string, at: Date): Promise<boolean> => {
  const { rows } = await sql`update freezes set lifted_at = ${at} where id = ${id} and lifted_at is null returning id`.execute(tx)
  return rows.length === 1
}

export const listFreezes = async (db: Db): Promise<Freeze[]> => {
  const { rows } = await sql<Freeze>`select id, asset, merchant_id as "merchantId", reason, created_at as "createdAt"
    from freezes where lifted_at is null order by created_at`.execute(db)
  return rows
}

import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { holdStops, reasonOfStop } from '../../ledger/stops/index.ts'

/** Any number, the same in every process. Beginning an order and stopping hedging exclude each other. */
const LOCK = 7_262_635_060

/**
 * Until the transaction ends, no other session begins an order or stops hedging, and no stop of any kind begins or
 * ends.
 */
export const holdHedging = async (tx: Tx): Promise<void> => {
  await holdStops(tx)
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
}

/**
 * Returns why these assets may not be traded now; undefined when they may. A stop of everything, or of one asset for
 * all merchants, also stops hedging.
 */
export const whyStopped = async (db: Db | Tx, assets: readonly string[]): Promise<string | undefined> => {
  const { rows } = await sql<{
    reason: string
  }>`select reason from hedge_stops where lifted_at is null limit 1`.execute(db)
  return rows[0]?.reason ?? (await reasonOfStop(db, { asset: sql`any(${[...assets]}::text[])` }))
}

/**
 * Stops hedging: after this has committed, no order is begun. Orders that the venue may have are still queried to their
 * end.
 */
export const stopHedging = async (
  tx: Tx,
  { reason, actor }: { reason: string; actor: string },
  { at, newId }: Moment,
): Promise<void> => {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
  await sql`insert into hedge_stops(id, reason, created_by, created_at) values (${newId()}, ${reason}, ${actor}, ${at})`.execute(
    tx,
  )
}

/** Lifts all stops of hedging. @returns how many were lifted */
export const startHedging = async (db: Db, actor: string, at: Date): Promise<number> => {
  const { rows } =
    await sql`update hedge_stops set lifted_at = ${at}, lifted_by = ${actor} where lifted_at is null returning 1`.execute(
      db,
    )
  return rows.length
}

/** Lists the stops of hedging in force. */
export const listStops = async (db: Db): Promise<{ reason: string; createdBy: string; createdAt: Date }[]> => {
  const { rows } = await sql<{
    reason: string
    createdBy: string
    createdAt: Date
  }>`select reason, created_by as "createdBy", created_at as "createdAt"
    from hedge_stops where lifted_at is null order by created_at`.execute(db)
  return rows
}

import { sql } from 'kysely'
import { cacheFor } from '../../platform/base/cache.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { inForceFor, type ReachInSql } from './covering.ts'
import { changeStops } from './lock.ts'
import type { NewStop, Stop, StopTerm } from './stop.ts'

/**
 * Creates a stop, unless the same stop with the same reason is in force. Waits until no transaction holds the stops.
 */
export const createStop = async (
  tx: Tx,
  { asset, merchantId, network = null, reason, actor = 'bursar' }: NewStop,
  { at, newId }: Moment,
): Promise<void> => {
  await changeStops(tx)
  await sql`insert into freezes(id, asset, merchant_id, network, reason, created_by, created_at)
    select ${newId()}, ${asset}::text, ${merchantId}::uuid, ${network}::text, ${reason}, ${actor}, ${at}
    where not exists (select from freezes where lifted_at is null and reason = ${reason} and asset is not distinct from ${asset}
      and merchant_id is not distinct from ${merchantId}::uuid and network is not distinct from ${network}::text)`.execute(
    tx,
  )
}

/** Lifts a stop; false when there is none with this id in force. */
export const liftStop = async (
  db: Db,
  id: string,
  { actor, reason }: { actor: string; reason: string | null },
  at: Date,
): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    const { rows } = await sql`update freezes set lifted_at = ${at}, lifted_by = ${actor}, lifted_reason = ${reason}
      where id = ${id} and lifted_at is null returning id`.execute(tx)
    return rows.length === 1
  })

/** Lifts all stops in force with this reason and one of these pairs of asset and merchant. */
export const liftStopsOf = async (
  tx: Tx,
  pairs: readonly { merchantId: string; asset: string }[],
  reason: string,
  at: Date,
): Promise<void> => {
  await sql`update freezes f set lifted_at = ${at}
    from unnest(${pairs.map((p) => p.merchantId)}::uuid[], ${pairs.map((p) => p.asset)}::text[]) u(m, a)
    where f.merchant_id = u.m and f.asset = u.a and f.reason = ${reason} and f.lifted_at is null`.execute(tx)
}

const COLUMNS =
  sql.raw(`id, asset, merchant_id as "merchantId", network, reason, created_by as "createdBy", created_at as "createdAt",
  lifted_at as "liftedAt", lifted_by as "liftedBy", lifted_reason as "liftedReason"`)

/** The stops in force. */
export const listStops = async (db: Db): Promise<Stop[]> => {
  const { rows } = await sql<Stop>`select ${COLUMNS} from freezes where lifted_at is null order by created_at`.execute(
    db,
  )
  return rows
}

/** Every stop that was ever made, the newest first. */
export const listAllStops = async (db: Db, most = 1_000): Promise<Stop[]> => {
  const { rows } = await sql<Stop>`select ${COLUMNS} from freezes order by created_at desc, id limit ${most}`.execute(
    db,
  )
  return rows
}

/** The stops in force as orders are judged by them. */
export const readStops = async (db: Db): Promise<readonly StopTerm[]> => {
  const { rows } =
    await sql<StopTerm>`select asset, merchant_id as "merchantId", network, reason from freezes where lifted_at is null`.execute(
      db,
    )
  return rows
}

/** Returns the reason of a stop in force that covers; undefined when none does. */
export const reasonOfStop = async (db: Db | Tx, reach: ReachInSql): Promise<string | undefined> => {
  const { rows } = await sql<{
    reason: string
  }>`select reason from freezes f where ${inForceFor(reach)} limit 1`.execute(db)
  return rows[0]?.reason
}

const CACHED_MS = 500

/** The stops in force, as of at most half a second ago. @param now ms */
export const createStopsReader = (db: Db, now: () => number): (() => Promise<readonly StopTerm[]>) =>
  cacheFor(CACHED_MS, now, () => readStops(db))

/**
 * The stops in force as a gauge: `asset` and `network` ('' where not limited), `reach` (`all` or `merchant`), `value`.
 */
export const STOP_COUNTS = sql`select coalesce(asset, '') as asset, coalesce(network, '') as network,
  case when merchant_id is null then 'all' else 'merchant' end as reach, count(*) as value from freezes where lifted_at is null group by 1, 2, 3`

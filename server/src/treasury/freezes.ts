import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Moment } from '../base/moment.ts'
import { inTransaction, type Db, type Tx } from '../db/index.ts'
import { changeStops } from '../outgoing/index.ts'

/** What is stopped: everything that all of these which are not null have in common. */
export interface Stop {
  asset: string | null
  merchantId: string | null
  network?: Network | null
  reason: string
  /** who stops it; this program when absent */
  actor?: string
}

export interface Freeze {
  id: string
  asset: string | null
  merchantId: string | null
  network: Network | null
  reason: string
  createdBy: string
  createdAt: Date
  liftedAt: Date | null
  liftedBy: string | null
  liftedReason: string | null
}

/**
 * Stops withdrawals of an asset, a merchant, a network, or what these have in common; of everything when all are null. A stop of a
 * whole network stops everything else that is sent there too. When this has committed, nothing more is planned, and the signer
 * is asked for nothing new; what was signed is followed to its end. The same stop is made once.
 */
export const freeze = async (tx: Tx, { asset, merchantId, network = null, reason, actor = 'bursar' }: Stop, { at, newId }: Moment): Promise<void> => {
  await changeStops(tx)
  await sql`insert into freezes(id, asset, merchant_id, network, reason, created_by, created_at)
    select ${newId()}, ${asset}::text, ${merchantId}::uuid, ${network}::text, ${reason}, ${actor}, ${at}
    where not exists (select from freezes where lifted_at is null and reason = ${reason} and asset is not distinct from ${asset}
      and merchant_id is not distinct from ${merchantId}::uuid and network is not distinct from ${network}::text)`.execute(tx)
}

/** Lifts a stop; false when there is none with this id in force. */
export const liftFreeze = async (db: Db, id: string, { actor, reason }: { actor: string; reason: string | null }, at: Date): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    const { rows } = await sql`update freezes set lifted_at = ${at}, lifted_by = ${actor}, lifted_reason = ${reason}
      where id = ${id} and lifted_at is null returning id`.execute(tx)
    return rows.length === 1
  })

const COLUMNS = sql.raw(`id, asset, merchant_id as "merchantId", network, reason, created_by as "createdBy", created_at as "createdAt",
  lifted_at as "liftedAt", lifted_by as "liftedBy", lifted_reason as "liftedReason"`)

/** What is stopped now. */
export const listFreezes = async (db: Db): Promise<Freeze[]> => {
  const { rows } = await sql<Freeze>`select ${COLUMNS} from freezes where lifted_at is null order by created_at`.execute(db)
  return rows
}

/** Everything that was ever stopped, the newest first. */
export const listAllFreezes = async (db: Db, most = 1_000): Promise<Freeze[]> => {
  const { rows } = await sql<Freeze>`select ${COLUMNS} from freezes order by created_at desc, id limit ${most}`.execute(db)
  return rows
}

/** One line for a person. */
export const describeFreeze = ({ asset, merchantId, network, reason, createdBy, createdAt }: Freeze): string => {
  const what = [asset, network && `on ${network}`, merchantId && `of ${merchantId}`].filter(Boolean).join(' ') || 'everything'
  return `${what} is stopped since ${createdAt.toISOString()} by ${createdBy}: ${reason}`
}

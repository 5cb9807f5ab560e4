import { sql } from 'kysely'
import type { Moment } from '../base/moment.ts'
import { inTransaction, type Db, type Tx } from '../db/index.ts'
import { raiseOrRenewAlert } from './alerts.ts'

/** The database is not the one served before: it may lack addresses that were given out and payments. */
export class RestoredCopy extends Error {
  override name = 'RestoredCopy'
  constructor() {
    super(
      'this database is a copy that was restored: no role serves it before `bursar restored` has run, see docs/operating/recovery.md',
    )
  }
}

interface Installation {
  isSame: boolean
  isPromoted: boolean
  restoredAt: Date | null
}

const read = async (db: Db | Tx): Promise<Installation | undefined> => {
  const { rows } = await sql<Installation>`select identity = database_identity() as "isSame",
    identity || '/' || timeline <> database_era() as "isPromoted", restored_at as "restoredAt" from installation`.execute(
    db,
  )
  return rows[0]
}

/**
 * SQL condition: no role may serve this database before `bursar restored` has run, because it is a copy that was
 * restored.
 */
export const IS_COPY = sql<boolean>`exists (select from installation where identity <> database_identity())`

/** Whether this database is known to be a copy that was restored. */
export const isCopy = async (db: Db | Tx): Promise<boolean> =>
  (await sql<{ is: boolean }>`select ${IS_COPY} as is`.execute(db)).rows[0]!.is

/** Whether `bursar restore` marked this database. */
export const isMarkedCopy = async (db: Db | Tx): Promise<boolean> => {
  const { rows } = await sql`select from installation where starts_with(identity, 'a copy of ')`.execute(db)
  return rows.length > 0
}

const TIMELINE = sql.raw("split_part(database_era(), '/', 4)")

/**
 * Checks that the database is the one that the roles have served; the first time, records its identity. A promotion of
 * a standby can't be distinguished from a recovery to a point in time: both raise an alert, and roles continue.
 * @throws RestoredCopy
 */
export const requireSameDatabase = async (db: Db, moment: Moment): Promise<void> => {
  const found = await read(db)
  if (found === undefined) {
    await sql`insert into installation(identity, timeline) select database_identity(), ${TIMELINE} on conflict do nothing`.execute(
      db,
    )
    return
  }
  if (!found.isSame) throw new RestoredCopy()
  if (!found.isPromoted) return
  await inTransaction(db, async (tx) => {
    const { rows } = await sql<{
      timeline: string
    }>`update installation set timeline = ${TIMELINE} where timeline <> ${TIMELINE} returning timeline`.execute(tx)
    for (const { timeline } of rows) {
      const text = `The database was promoted (timeline ${timeline}). Bursar discarded the prepared addresses and raised the derivation counters, so no address is given out twice. After a recovery to a point in time, or the loss of a primary whose standby was not synchronous, stop the workers now and follow docs/operating/recovery.md`
      await raiseOrRenewAlert(tx, { kind: 'database-promoted', subject: 'database', text }, moment)
    }
  })
}

/**
 * Records this database as that of the installation.
 * @param forgot true when it may lack data of the original
 */
export const acceptDatabase = async (tx: Tx, { forgot }: { forgot: boolean }, now: Date): Promise<void> => {
  await sql`insert into installation as i (identity, timeline, restores, restored_at)
    select database_identity(), ${TIMELINE}, ${forgot ? 1 : 0}, ${forgot ? now : null}::timestamptz
    on conflict (singleton) do update set identity = excluded.identity, timeline = excluded.timeline,
      restores = i.restores + excluded.restores, restored_at = coalesce(excluded.restored_at, i.restored_at)`.execute(
    tx,
  )
}

/** The last time `bursar restored` ran, real time; null: never. */
export const restoredAt = async (db: Db | Tx): Promise<Date | null> => (await read(db))?.restoredAt ?? null

/** Whether this database was restored from a copy after a time: it may then lack later changes. */
export const wasRestoredSince = async (db: Db, at: Date): Promise<boolean> => {
  const { rows } = await sql`select from installation where restored_at >= ${at}`.execute(db)
  return rows.length > 0
}

/**
 * Marks this database as a copy, so that no role serves it before `bursar restored` has run. A server that was restored
 * from its base backup and its log has the identity of the original.
 */
export const markAsCopy = async (db: Db): Promise<void> => {
  await sql`update installation set identity = 'a copy of ' || identity where not starts_with(identity, 'a copy of ')`.execute(
    db,
  )
}

import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { healthKey, type Direction, type Failing } from './routing.ts'

const MINUTE_MS = 60_000
/** How far back routing looks, and how many failures make an account failing. */
const LOOKED_AT_MS = 10 * MINUTE_MS
const LEAST_BAD = 3
const RETENTION_MS = 24 * 60 * MINUTE_MS

/** Counts one call: `good` when the acquirer accepted the order, regardless of its outcome later. */
export const recordOutcome = async (
  db: Db | Tx,
  { acquirer, direction, good }: { acquirer: string; direction: Direction; good: boolean },
  at: Date,
): Promise<void> => {
  const minute = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS)
  await sql`insert into acquirer_health(acquirer, direction, minute, good, bad)
    values (${acquirer}, ${direction}, ${minute}, ${good ? 1 : 0}, ${good ? 0 : 1})
    on conflict (acquirer, direction, minute)
      do update set good = acquirer_health.good + excluded.good, bad = acquirer_health.bad + excluded.bad`.execute(db)
}

/**
 * Returns the accounts and directions with at least three failed calls in the last ten minutes, if these are at least
 * half of their calls.
 */
export const readFailing = async (db: Db | Tx, at: Date): Promise<Failing> => {
  const since = new Date(at.getTime() - LOOKED_AT_MS)
  const { rows } = await sql<{ acquirer: string; direction: Direction }>`
    select acquirer, direction from acquirer_health where minute > ${since}
    group by acquirer, direction having sum(bad) >= ${LEAST_BAD} and sum(bad) >= sum(good)`.execute(db)
  return new Set(rows.map(({ acquirer, direction }) => healthKey(acquirer, direction)))
}

/** Deletes counts that are older than the time routing looks at. */
export const forgetOldHealth = async (db: Db, at: Date): Promise<void> => {
  await sql`delete from acquirer_health where minute < ${new Date(at.getTime() - RETENTION_MS)}`.execute(db)
}

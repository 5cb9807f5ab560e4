import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { healthKey, type Direction, type Failing } from './routing.ts'

const MINUTE_MS = 60_000
/** How far back routing looks, and from how many failures on it speaks of failing. */
const LOOKED_AT_MS = 10 * MINUTE_MS
const LEAST_BAD = 3
const KEPT_MS = 24 * 60 * MINUTE_MS

/** Counts how one call went: `good` when the acquirer took the order, whatever became of it later. */
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

/** Accounts of which, in the last ten minutes, at least three calls and at least half of all have failed. */
export const readFailing = async (db: Db | Tx, at: Date): Promise<Failing> => {
  const since = new Date(at.getTime() - LOOKED_AT_MS)
  const { rows } = await sql<{ acquirer: string; direction: Direction }>`
    select acquirer, direction from acquirer_health where minute > ${since}
    group by acquirer, direction having sum(bad) >= ${LEAST_BAD} and sum(bad) >= sum(good)`.execute(db)
  return new Set(rows.map(({ acquirer, direction }) => healthKey(acquirer, direction)))
}

/** Removes counts that nothing looks at any more. */
export const forgetOldHealth = async (db: Db, at: Date): Promise<void> => {
  await sql`delete from acquirer_health where minute < ${new Date(at.getTime() - KEPT_MS)}`.execute(db)
}

import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'

const FEWEST_AHEAD = 2
const ALERT = 'event-partitions'

/** Whether the coming months have partitions of `events`, and the default partition is empty. */
export interface Months {
  good: boolean
  text: string
}

export const readMonths = async (db: Db | Tx, at: Date): Promise<Months> => {
  const { rows } = await sql<
    Record<'since' | 'until', string | null> & { ahead: number | null }
  >`select since::text, until::text,
      extract(year from left_over)::integer * 12 + extract(month from left_over)::integer as ahead
    from (select min(since) as since, max(until) as until, age(max(until) at time zone 'UTC', ${at}::timestamptz at time zone 'UTC') as left_over from event_partitions) p`.execute(
    db,
  )
  const { since, until, ahead } = rows[0]!
  const mend = 'run `bursar migrate` as the owner (docs/operating/growth.md)'
  if (since === null || until === null || ahead === null)
    return { good: false, text: `events have no partition of a month: ${mend}` }
  // Only the default partition is outside of both. Until a month is archived the first partition has no lower bound,
  // and would be read whole.
  const { rows: strays } = await sql`select from events where created_at >= ${until} limit 1`.execute(db)
  const { rows: earlier } =
    since === '-infinity' ? { rows: [] } : await sql`select from events where created_at < ${since} limit 1`.execute(db)
  if (earlier.length > 0)
    return {
      good: false,
      text: `notifications are dated before ${since}, which is archived: a clock was wrong. They are delivered normally, and stay in events_default`,
    }
  if (strays.length > 0)
    return { good: false, text: `notifications are in events_default, because their months have no partition: ${mend}` }
  if (ahead < FEWEST_AHEAD)
    return { good: false, text: `partitions of events end with ${until}, in less than ${FEWEST_AHEAD} months: ${mend}` }
  return { good: true, text: `partitions of events to ${until}` }
}

/** Raises an alert in time when the owner must create partitions, which no job has the right to do. */
export const createMonthsJob = (runtime: Runtime, everyMs = 3_600_000): Job => ({
  name: 'watch the partitions of events',
  everyMs,
  run: async () => {
    await watch(runtime.db, momentOf(runtime))
    return false
  },
})

const watch = async (db: Db, moment: Moment): Promise<void> => {
  const { good, text } = await readMonths(db, moment.at)
  if (good) await resolveAlert(db, ALERT, 'events', moment.at)
  else await raiseOrRenewAlert(db, { kind: ALERT, subject: 'events', text }, moment)
}

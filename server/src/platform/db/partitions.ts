import pg from 'pg'

/**
 * Months that have a partition of `events` before they begin. A pause between two runs of `bursar migrate` may be so
 * long, but for the last two.
 */
const MONTHS_AHEAD = 6

/** A partition of `events`: of [since, until), or of what no other one takes. */
interface Bounds {
  isDefault: boolean
  until: Date | null
}

/** The start of the month that is `months` behind that of a time, in UTC. */
export const monthStart = (at: Date, months = 0): Date =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1))

/**
 * Makes the partitions of `events` that the months to come need, each in a transaction of its own that waits for what
 * writes to `events` but blocks others for no longer than it takes to make an empty table. Rows that came into the
 * default partition meanwhile are moved. Run by the owner of the tables: no role has a right to it.
 * @returns names of the partitions that it made
 */
export const makeEventPartitions = async (client: Pick<pg.Client, 'query'>): Promise<string[]> => {
  const { rows: clock } = await client.query<{ now: Date }>(
    "select now() + offset_ms * interval '1 millisecond' as now from business_clock",
  )
  const { rows } = await client.query<Bounds>('select is_default as "isDefault", until from event_partitions')
  const ends = rows.flatMap(({ until }) => (until === null ? [] : [until.getTime()]))
  const now = clock[0]!.now
  const made: string[] = []
  // An installation that was not migrated for a year has its months of that time in the default partition.
  for (
    let since = new Date(Math.max(...ends));
    since < monthStart(now, MONTHS_AHEAD + 1);
    since = monthStart(since, 1)
  ) {
    made.push(await makePartition(client, since, monthStart(since, 1)))
  }
  return made
}

const makePartition = async (client: Pick<pg.Client, 'query'>, since: Date, until: Date): Promise<string> => {
  const name = `events_${since.toISOString().slice(0, 7).replace('-', '_')}`
  const [from, to] = [since, until].map((at) => pg.escapeLiteral(at.toISOString()))
  await client.query('begin')
  try {
    for (const text of [
      `create table ${name} (like events including defaults)`,
      'lock table events_default in access exclusive mode',
      'alter table events_default disable trigger events_default_kept',
      `with moved as (delete from events_default where created_at >= ${from} and created_at < ${to} returning *) insert into ${name} select * from moved`,
      'alter table events_default enable trigger events_default_kept',
      `alter table ${name} add primary key (merchant_id, sequence)`,
      `create index ${name}_object on ${name} (object_id, sequence)`,
      `create trigger ${name}_kept before insert or update or delete or truncate on ${name} for each statement execute function refuse_change()`,
      `alter table events attach partition ${name} for values from (${from}) to (${to})`,
    ])
      await client.query(text)
    await client.query('commit')
    return name
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

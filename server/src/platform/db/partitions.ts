import pg from 'pg'

/**
 * Number of future months for which partitions of `events` are created. `bursar migrate` must run again while at least
 * two of them remain.
 */
const MONTHS_AHEAD = 6

/** A partition of `events`: its upper bound, or the default partition. */
interface Bounds {
  isDefault: boolean
  until: Date | null
}

/** The start of the month of a time, plus `months`, in UTC. */
export const monthStart = (at: Date, months = 0): Date =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1))

/**
 * Creates the partitions of `events` for the coming months, each in its own transaction. It waits for writers of
 * `events`, but blocks others only while an empty table is created. Rows that are already in the default partition are
 * moved. The owner of the tables must run it: no role has the right.
 * @returns names of the created partitions
 */
export const makeEventPartitions = async (client: Pick<pg.Client, 'query'>): Promise<string[]> => {
  const { rows: clock } = await client.query<{ now: Date }>(
    "select now() + offset_ms * interval '1 millisecond' as now from business_clock",
  )
  const { rows } = await client.query<Bounds>('select is_default as "isDefault", until from event_partitions')
  const ends = rows.flatMap(({ until }) => (until === null ? [] : [until.getTime()]))
  const now = clock[0]!.now
  const made: string[] = []
  // After a year without a migration, the default partition contains several months: each gets its partition.
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

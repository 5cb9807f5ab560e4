import { sql } from 'kysely'
import { join } from 'node:path'
import { inTransaction, isLocked, type Db, type Tx } from '../../platform/db/index.ts'
import type { EventRow } from './queries.ts'
import { readLines, writeChecksum, writeLines } from './archive-file.ts'

/** A partition of `events` that was replaced by a file. */
export interface Archived {
  name: string
  since: string
  until: string
  events: number
  file: string
  sha256: string
}

interface Partition {
  name: string
  since: string
  until: string
}

/** Partitions that end before a time, oldest first. */
const partitionsBefore = async (db: Db, before: Date): Promise<Partition[]> =>
  (
    await sql<Partition>`select name, since::text, until::text from event_partitions where until <= ${before} and since is not null order by until`.execute(
      db,
    )
  ).rows

/**
 * Archives each month that ended before a time, in order: writes it to a file, compares the file with the database, and
 * then drops the partition. Stops at the first month that can't be archived. The owner of the tables must run it; all
 * roles may keep running.
 * @param report called with each archived month
 * @throws Error when notifications of a month are still to be delivered, or the file differs from the database
 */
export const archiveEvents = async (
  db: Db,
  { before, folder, at, report }: { before: Date; folder: string; at: Date; report: (done: Archived) => void },
): Promise<void> => {
  for (const partition of await partitionsBefore(db, before)) {
    await refuseWaiting(db, partition)
    const file = join(folder, `${partition.name}.jsonl.gz`)
    await writeLines(file, linesOf(db, partition))
    const events = await compare(db, partition, file)
    const done = { ...partition, events, file, sha256: await writeChecksum(file) }
    await drop(db, done, at)
    report(done)
  }
}

/** A line of the file; its members are in this order. */
type Line = EventRow & { merchantId: string }

const AT_ONCE = 2_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Yields each notification as a line of JSON, ordered by merchant and sequence. `body` is the text as sent. */
async function* linesOf(db: Db, { name }: Partition): AsyncGenerator<string> {
  let last: Pick<Line, 'merchantId' | 'sequence'> = { merchantId: FIRST, sequence: 0 }
  for (;;) {
    const { rows } =
      await sql<Line>`select merchant_id as "merchantId", sequence, id, object_id as "objectId", kind, status, created_at as "createdAt", body
      from ${sql.id(name)} where (merchant_id, sequence) > (${last.merchantId}::uuid, ${last.sequence}::bigint) order by merchant_id, sequence limit ${AT_ONCE}`.execute(
        db,
      )
    for (const row of rows) yield JSON.stringify(row)
    if (rows.length < AT_ONCE) return
    last = rows.at(-1)!
  }
}

/**
 * Compares the file with the partition line by line; throws when they differ.
 * @returns the number of notifications
 */
const compare = async (db: Db, partition: Partition, file: string): Promise<number> => {
  const stored = readLines(file)
  let events = 0
  for await (const line of linesOf(db, partition)) {
    if ((await stored.next()).value !== line)
      throw new Error(`${file} differs from ${partition.name} in line ${events + 1}. Nothing was dropped`)
    events += 1
  }
  if (!(await stored.next()).done) throw new Error(`${file} has more lines than ${partition.name}. Nothing was dropped`)
  return events
}

const refuseWaiting = async (db: Db | Tx, { name, until }: Partition): Promise<void> => {
  const { rows } = await sql<{
    merchantId: string
    endpointId: string | null
    objectId: string
  }>`select s.merchant_id as "merchantId", null::uuid as "endpointId", s.object_id as "objectId" from event_streams s
    where s.since < ${until} and exists (select from ${sql.id(name)} e where e.object_id = s.object_id and e.merchant_id = s.merchant_id
      and e.sequence between s.next_sequence and s.last_sequence)
    union all select s.merchant_id, s.endpoint_id, s.object_id from endpoint_streams s
    where s.since < ${until} and exists (select from ${sql.id(name)} e where e.object_id = s.object_id and e.merchant_id = s.merchant_id
      and e.sequence between s.next_sequence and s.last_sequence) limit 1`.execute(db)
  const [one] = rows
  if (!one) return
  const [where, option] =
    one.endpointId === null
      ? ['', '']
      : [` at its additional endpoint ${one.endpointId}`, ` --endpoint ${one.endpointId}`]
  throw new Error(
    `${name} has notifications that wait to be delivered, such as of object ${one.objectId} of merchant ${one.merchantId}${where}: ` +
      `deliver or skip them first (bursar events exhausted; bursar events skip ${one.merchantId} ${one.objectId}${option})`,
  )
}

/**
 * Drops the partition and records the archive. The lock on `events` makes all readers and writers wait, so that after
 * the check no delivery can be added that still needs the partition.
 */
const drop = async (db: Db, { name, since, until, events, file, sha256 }: Archived, at: Date): Promise<void> => {
  try {
    await inTransaction(db, async (tx) => {
      await sql`set local lock_timeout = '3s'`.execute(tx)
      await sql`lock table events in access exclusive mode`.execute(tx)
      await refuseWaiting(tx, { name, since, until })
      const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.id(name)}`.execute(tx)
      if (rows[0]!.count !== events)
        throw new Error(
          `${name} has notifications that came while it was written to ${file}: run the command again. Nothing was dropped`,
        )
      await sql`insert into event_archives(name, since, until, events, file, sha256, archived_at)
        values (${name}, ${since}, ${until}, ${events}, ${file}, ${sha256}, ${at})`.execute(tx)
      await sql`delete from event_spans where until <= ${until}`.execute(tx)
      // New notifications must not be dated to a dropped month, or reuse a sequence that is in a file.
      await sql`update event_heads set month = ${until}, month_first = sequence + 1 where month < ${until}`.execute(tx)
      await sql`alter table events detach partition ${sql.id(name)}`.execute(tx)
      await sql`drop table ${sql.id(name)}`.execute(tx)
    })
  } catch (error) {
    if (isLocked(error))
      throw new Error(`${name} was not dropped: events is in use, by a dump or a long report. Run the command again`, {
        cause: error,
      })
    throw error
  }
}

export const listArchives = async (db: Db): Promise<(Archived & { archivedAt: Date })[]> =>
  (
    await sql<
      Archived & { archivedAt: Date }
    >`select name, since::text, until::text, events, file, sha256, archived_at as "archivedAt" from event_archives order by until`.execute(
      db,
    )
  ).rows

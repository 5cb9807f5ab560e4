import { sql } from 'kysely'
import { join } from 'node:path'
import { inTransaction, isLocked, type Db, type Tx } from '../../platform/db/index.ts'
import type { EventRow } from './queries.ts'
import { readLines, writeChecksum, writeLines } from './archive-file.ts'

/** A partition of `events` that a file takes the place of. */
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

/** Partitions of which every notification was made before a time, oldest first. */
const partitionsBefore = async (db: Db, before: Date): Promise<Partition[]> =>
  (
    await sql<Partition>`select name, since::text, until::text from event_partitions where until <= ${before} and since is not null order by until`.execute(
      db,
    )
  ).rows

/**
 * Writes each month that ended before a time to a file, reads the file back against the database, and only then drops
 * the month. Months go in order: it ends at the first that can't go. Run by the owner of the tables; every other role
 * may go on meanwhile.
 * @param tell is called with each month as it is archived
 * @throws Error when notifications of a month still wait to be delivered, or a file is not what the database has
 */
export const archiveEvents = async (
  db: Db,
  { before, folder, at, tell }: { before: Date; folder: string; at: Date; tell: (done: Archived) => void },
): Promise<void> => {
  for (const partition of await partitionsBefore(db, before)) {
    await refuseWaiting(db, partition)
    const file = join(folder, `${partition.name}.jsonl.gz`)
    await writeLines(file, linesOf(db, partition))
    const events = await compare(db, partition, file)
    const done = { ...partition, events, file, sha256: await writeChecksum(file) }
    await drop(db, done, at)
    tell(done)
  }
}

/** A line of the file, in the order of its members. */
type Line = EventRow & { merchantId: string }

const AT_ONCE = 2_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Each notification as a line of JSON, `body` as the text that was sent, in the order of merchant and sequence. */
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

/** @returns how many notifications the file has, each of them as the database has it */
const compare = async (db: Db, partition: Partition, file: string): Promise<number> => {
  const stored = readLines(file)
  let events = 0
  for await (const line of linesOf(db, partition)) {
    if ((await stored.next()).value !== line)
      throw new Error(`${file} is not what ${partition.name} has: line ${events + 1} differs. Nothing was dropped`)
    events += 1
  }
  if (!(await stored.next()).done) throw new Error(`${file} has more lines than ${partition.name}. Nothing was dropped`)
  return events
}

const refuseWaiting = async (db: Db | Tx, { name, until }: Partition): Promise<void> => {
  const { rows } = await sql<{
    merchantId: string
    objectId: string
  }>`select s.merchant_id as "merchantId", s.object_id as "objectId" from event_streams s
    where s.since < ${until} and exists (select from ${sql.id(name)} e where e.object_id = s.object_id and e.merchant_id = s.merchant_id
      and e.sequence between s.next_sequence and s.last_sequence) limit 1`.execute(db)
  const [one] = rows
  if (one)
    throw new Error(
      `${name} has notifications that wait to be delivered, such as of object ${one.objectId} of merchant ${one.merchantId}: deliver or skip them first (bursar events exhausted)`,
    )
}

/**
 * Who reads or writes notifications waits meanwhile, and no one who has read any is still at work: nothing can begin to
 * wait that was not there to be looked at.
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
      // Nothing new is dated to a month that is gone, and no sequence that is in a file is free.
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

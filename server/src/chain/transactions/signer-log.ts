import { sql } from 'kysely'
import type { LogEnd, LogMemory } from '../../adapters/signer/index.ts'
import { Batcher } from '../../platform/base/batcher.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { IS_COPY } from '../../platform/runtime/installation.ts'

/** Callers that share one statement; the signer's queue holds fewer requests. */
const MOST_TOGETHER = 128

/**
 * Stores the end of the signer's log in the database: the furthest that any process has seen. Every statement locks the
 * one row until its COMMIT, so requests to the signer that run at the same time share one. A read begins after the
 * calls that share it, and an end is stored when its call returns.
 */
export const createLogMemory = (db: Db, now: () => number): LogMemory => {
  const reads = new Batcher<undefined, LogEnd | undefined>({
    most: MOST_TOGETHER,
    run: async (calls) => {
      const end = await readLogEnd(db)
      return calls.map(() => end)
    },
  })
  const writes = new Batcher<LogEnd, undefined>({
    most: MOST_TOGETHER,
    run: async (ends) => {
      await keepEnd(db, furthestOf(ends), new Date(now()))
      return ends.map(() => undefined)
    },
  })
  return { known: () => reads.submit(undefined), keep: (end) => writes.submit(end) }
}

const furthestOf = (ends: readonly LogEnd[]): LogEnd =>
  ends.reduce((furthest, end) => (end.length > furthest.length ? end : furthest))

/**
 * Stores nothing in a copy that was restored: the comparison of the signer's log with its books begins at the end that
 * the copy knew, and `bursar doctor` or a backup may ask the signer before `bursar restored` has recorded that end.
 */
const keepEnd = async (db: Db, { length, head }: LogEnd, at: Date): Promise<void> => {
  await sql`insert into signer_log (length, head, noted_at)
    select ${length}::bigint, ${head}::text, ${at}::timestamptz where not ${IS_COPY}
    on conflict (only_one) do update set length = excluded.length, head = excluded.head, noted_at = excluded.noted_at
    where signer_log.length < excluded.length`.execute(db)
}

export const readLogEnd = async (db: Db | Tx): Promise<LogEnd | undefined> => {
  const { rows } = await sql<LogEnd>`select length, head from signer_log`.execute(db)
  return rows[0] && { length: Number(rows[0].length), head: rows[0].head }
}

/** Accepts this log, however short, after an operator has found out why it differs. */
export const acceptLog = async (
  db: Db,
  { length, head }: LogEnd,
  by: { actor: string; reason: string },
  at: Date,
): Promise<void> => {
  await sql`insert into signer_log (length, head, noted_at, accepted_by, accepted_reason) values (${length}, ${head}, ${at}, ${by.actor}, ${by.reason})
    on conflict (only_one) do update set length = excluded.length, head = excluded.head, noted_at = excluded.noted_at,
      accepted_by = excluded.accepted_by, accepted_reason = excluded.accepted_reason`.execute(db)
}

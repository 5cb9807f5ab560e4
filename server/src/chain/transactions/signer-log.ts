import { sql } from 'kysely'
import type { LogEnd, LogMemory } from '../../adapters/signer/index.ts'
import type { Db } from '../../platform/db/index.ts'

/** Stores the end of the signer's log in the database: the furthest that any process has seen. */
export const createLogMemory = (db: Db, now: () => number): LogMemory => ({
  known: () => readLogEnd(db),
  keep: async ({ length, head }) => {
    const at = new Date(now())
    await sql`insert into signer_log (length, head, noted_at) values (${length}, ${head}, ${at})
      on conflict (only_one) do update set length = excluded.length, head = excluded.head, noted_at = excluded.noted_at
      where signer_log.length < excluded.length`.execute(db)
  },
})

export const readLogEnd = async (db: Db): Promise<LogEnd | undefined> => {
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

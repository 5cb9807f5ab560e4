import { sql } from 'kysely'
import type { Db, Tx } from '../db/index.ts'

/** A restore from a copy that no operator has accepted yet. */
export interface OpenRestore {
  restoredAt: Date
  /** end of the signer's log that the copy knew */
  log: { length: number; head: string }
  /** end of the log at the last comparison; null: it was not compared */
  replayedLength: number | null
}

/** Records a restore, with the end of the signer's log that the copy knows. */
export const recordRestore = async (
  tx: Tx,
  { length, head }: { length: number; head: string },
  at: Date,
): Promise<void> => {
  await sql`insert into restores (restored_at, log_length, log_head) values (${at}, ${length}, ${head}) on conflict do nothing`.execute(
    tx,
  )
}

/**
 * Returns the oldest restore that is not accepted: its copy knew the least of the signer's log. Undefined when all are
 * accepted.
 */
export const openRestore = async (db: Db | Tx): Promise<OpenRestore | undefined> => {
  const { rows } = await sql<{
    restoredAt: Date
    length: string | number
    head: string
    replayedLength: string | number | null
  }>`select restored_at as "restoredAt", log_length as length, log_head as head, replayed_length as "replayedLength"
    from restores where accepted_at is null order by log_length, restored_at limit 1`.execute(db)
  const [row] = rows
  return (
    row && {
      restoredAt: row.restoredAt,
      log: { length: Number(row.length), head: row.head },
      replayedLength: row.replayedLength === null ? null : Number(row.replayedLength),
    }
  )
}

/** Records up to which line the signer's log was compared with the books. */
export const recordReplay = async (tx: Db | Tx, length: number, at: Date): Promise<void> => {
  await sql`update restores set replayed_length = ${length}, replayed_at = ${at} where accepted_at is null`.execute(tx)
}

/** Records an operator's acceptance of all restores. @returns how many were open */
export const acceptRestores = async (
  tx: Tx,
  { actor, reason }: { actor: string; reason: string },
  at: Date,
): Promise<number> => {
  const { rows } =
    await sql`update restores set accepted_at = ${at}, accepted_by = ${actor}, accepted_reason = ${reason} where accepted_at is null returning 1`.execute(
      tx,
    )
  return rows.length
}

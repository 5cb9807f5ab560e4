import { sql } from 'kysely'
import type { Db, Tx } from '../db/index.ts'

/** How far business time runs ahead of the real one, in ms. */
export const readClockOffset = async (db: Db | Tx): Promise<number> => {
  const { rows } = await sql<{ offset: number }>`select offset_ms as offset from business_clock`.execute(db)
  return rows[0]?.offset ?? 0
}

/** Moves business time ahead for every process. Only ever called in a sandbox. @returns the new offset in ms */
export const advanceClock = async (db: Db | Tx, ms: number): Promise<number> => {
  if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError('time moves forward by a whole number of ms')
  const { rows } = await sql<{ offset: number }>`update business_clock set offset_ms = offset_ms + ${ms}
    returning offset_ms as offset, pg_notify('business_clock', '')`.execute(db)
  return rows[0]!.offset
}

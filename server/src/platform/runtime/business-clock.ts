import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db, Tx } from '../db/index.ts'
import { raiseAlert, resolveAlert } from './alerts.ts'
import { createClock, type OffsetClock } from './clock.ts'
import { momentOf, type Runtime } from './runtime.ts'

/** How far the business clock is ahead of the real one, in ms. */
export const readClockOffset = async (db: Db | Tx): Promise<number> => {
  const { rows } = await sql<{ offset: number }>`select offset_ms as offset from business_clock`.execute(db)
  return rows[0]?.offset ?? 0
}

/**
 * Advances the business clock of every process. Called only in a sandbox.
 * @returns the new offset in ms
 */
export const advanceClock = async (db: Db | Tx, ms: number): Promise<number> => {
  if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError('time moves forward by a whole number of ms')
  const { rows } = await sql<{
    offset: number
    pg_notify: unknown
  }>`update business_clock set offset_ms = offset_ms + ${ms}
    returning offset_ms as offset, pg_notify('business_clock', '')`.execute(db)
  return rows[0]!.offset
}

const [ALERT, SUBJECT] = ['clock-moved', 'business clock'] as const
const MOVED = (offset: number): string =>
  `the business clock of this database is ${offset} ms ahead of the real one: only a sandbox's may be. Every end, lease and retry would be wrong. ` +
  'Find out who moved it; then, as the owner: update business_clock set offset_ms = 0'

/**
 * Opens the clock of a process. Outside a sandbox it is the real clock, even if the database has an offset.
 * @param serves whether the process is a role: a role does not start when the business clock was moved outside a
 *   sandbox
 */
export const openClock = async (
  db: Db,
  { sandbox, serves }: { sandbox: boolean; serves: boolean },
): Promise<OffsetClock> => {
  const offset = await readClockOffset(db)
  if (offset !== 0 && !sandbox && serves) throw new Error(`${MOVED(offset)}. In a sandbox set BURSAR_SANDBOX=true`)
  const clock = createClock()
  if (sandbox) clock.setOffset(offset)
  return clock
}

/** Applies the current offset. Outside a sandbox the clock stays the real one, and an offset raises an alert. */
export const followOffset = async (
  runtime: Runtime & { clock: OffsetClock; log: Pick<Logger, 'error'> },
  sandbox: boolean,
): Promise<void> => {
  const offset = await readClockOffset(runtime.db)
  if (sandbox) return runtime.clock.setOffset(offset)
  if (offset === 0) return resolveAlert(runtime.db, ALERT, SUBJECT, momentOf(runtime).at)
  runtime.log.error({ offset }, 'the business clock was moved; it is not used')
  await raiseAlert(runtime.db, { kind: ALERT, subject: SUBJECT, text: MOVED(offset) }, momentOf(runtime))
}

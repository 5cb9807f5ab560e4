import { requestLimits } from '@bursar/contract'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'

/** Signatures expire with the timestamp window; their answers are kept well beyond it. */
const SIGNATURE_LIFE_MS = 60 * 60_000
const MOST_AT_ONCE = 5_000

/**
 * Removes kept answers that no request can ask for any more. By the real clock, as signatures are judged: business time
 * runs ahead of it, so that nothing goes too early.
 */
export const createAnswerPruneJob = (runtime: Pick<Runtime, 'db' | 'clock'>): Job => ({
  name: 'prune kept answers',
  everyMs: 60_000,
  run: async () => {
    const now = runtime.clock.now()
    const signatures = await prune(runtime.db, sql`key like 'sig:%'`, new Date(now - SIGNATURE_LIFE_MS))
    const keys = await prune(runtime.db, sql`key like 'key:%'`, new Date(now - requestLimits.idempotencyKeyLife))
    return signatures === MOST_AT_ONCE || keys === MOST_AT_ONCE
  },
})

const prune = async (db: Db, kind: RawBuilder<unknown>, before: Date): Promise<number> => {
  const { rows } = await sql`delete from request_answers a using (
      select merchant_id, key from request_answers where ${kind} and created_at < ${before} order by created_at limit ${MOST_AT_ONCE}) old
    where a.merchant_id = old.merchant_id and a.key = old.key returning 1`.execute(db)
  return rows.length
}

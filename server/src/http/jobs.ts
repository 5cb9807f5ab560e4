import { requestLimits } from '@bursar/contract'
import { sql } from 'kysely'
import type { Job } from '../jobs/index.ts'
import type { Runtime } from '../platform/runtime.ts'

/** Signatures expire with the timestamp window; their answers are kept well beyond it. */
const SIGNATURE_LIFE_MS = 60 * 60_000
const MOST_AT_ONCE = 5_000

/** Removes kept answers that no request can ask for any more. */
export const createAnswerPruneJob = (runtime: Runtime): Job => ({
  name: 'prune kept answers',
  everyMs: 60_000,
  run: async () => {
    const now = runtime.clock.business()
    const signaturesBefore = new Date(now - SIGNATURE_LIFE_MS)
    const keysBefore = new Date(now - requestLimits.idempotencyKeyLife)
    const { rows } = await sql`delete from request_answers a using (
        select merchant_id, key from request_answers
        where created_at < ${signaturesBefore} and (key like 'sig:%' or created_at < ${keysBefore})
        order by created_at limit ${MOST_AT_ONCE}) old
      where a.merchant_id = old.merchant_id and a.key = old.key returning a.key`.execute(runtime.db)
    return rows.length === MOST_AT_ONCE
  },
})

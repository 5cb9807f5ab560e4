import { requestLimits } from '@bursar/contract'
import { pruneAnswers } from '../../platform/api/answers.ts'
import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'

/** Signatures expire with the timestamp window; their answers are stored well beyond it. */
const SIGNATURE_LIFE_MS = 60 * 60_000
const MOST_AT_ONCE = 5_000

/**
 * Creates the job that deletes stored answers which no request can repeat any more. It uses the real clock, as the
 * check of signatures does. Business time runs ahead of it, so nothing is deleted too early.
 */
export const createAnswerPruneJob = (runtime: Pick<Runtime, 'db' | 'clock'>): Job => ({
  name: 'prune kept answers',
  everyMs: 60_000,
  run: async () => {
    const now = runtime.clock.now()
    const signatures = await pruneAnswers(runtime.db, 'sig', new Date(now - SIGNATURE_LIFE_MS), MOST_AT_ONCE)
    const keys = await pruneAnswers(runtime.db, 'key', new Date(now - requestLimits.idempotencyKeyLife), MOST_AT_ONCE)
    return signatures === MOST_AT_ONCE || keys === MOST_AT_ONCE
  },
})

import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { deleteEnded } from './store.ts'

const RETENTION_MS = 90 * 24 * 60 * 60_000
const AT_ONCE = 1_000

/** Deletes mails 90 days after their end, because they contain addresses of people. */
export const createMailPruneJob = (runtime: Runtime): Job => ({
  name: 'prune mail',
  everyMs: 60_000,
  run: async () =>
    (await deleteEnded(runtime.db, new Date(runtime.clock.business() - RETENTION_MS), AT_ONCE)) === AT_ONCE,
})

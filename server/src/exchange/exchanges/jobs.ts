import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { pruneQuotes } from './store.ts'

const PRUNE_EVERY_MS = 60_000

/** Creates the job that deletes expired quotes. */
export const createQuotePruneJob = (runtime: Runtime): Job => ({
  name: 'exchange-quotes',
  everyMs: PRUNE_EVERY_MS,
  run: async () => {
    await pruneQuotes(runtime.db, new Date(runtime.clock.now() - PRUNE_EVERY_MS))
    return false
  },
})

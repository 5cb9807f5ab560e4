import type { JobWatch } from '../../platform/jobs/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'

const KIND = 'job-failing'

/**
 * Raises an alert for a job that has failed, or made no progress, for a long time. Only the log has the reason, because
 * an error's text may contain secrets that not every reader of alerts may see.
 */
export const jobWatch = (runtime: Runtime): JobWatch => ({
  now: () => runtime.clock.now(),
  failing: async (name, sinceMs) => {
    const text = `The job "${name}" has failed again and again since ${new Date(sinceMs).toISOString()}: the log says why. What it should do waits, all or in part; nothing is lost`
    await raiseAlert(runtime.db, { kind: KIND, subject: name, text }, momentOf(runtime))
  },
  standing: async (name, sinceMs) => {
    const text = `The job "${name}" has stood still since ${new Date(sinceMs).toISOString()}: what it waits for does not answer. Restart the process; what the job should do waits, and nothing is lost`
    await raiseAlert(runtime.db, { kind: KIND, subject: name, text }, momentOf(runtime))
  },
  well: (name) => resolveAlert(runtime.db, KIND, name, momentOf(runtime).at),
})

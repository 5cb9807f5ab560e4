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
    const text = `The job "${name}" has failed repeatedly since ${new Date(sinceMs).toISOString()}; the log has the reason. Its work is delayed, all or in part; nothing is lost`
    await raiseAlert(runtime.db, { kind: KIND, subject: name, text }, momentOf(runtime))
  },
  stuck: async (name, sinceMs) => {
    const text = `The job "${name}" has made no progress since ${new Date(sinceMs).toISOString()}. Probably a node, an acquirer or another service does not answer. Restart the process if it continues. The work of the job is delayed; nothing is lost`
    await raiseAlert(runtime.db, { kind: KIND, subject: name, text }, momentOf(runtime))
  },
  well: (name) => resolveAlert(runtime.db, KIND, name, momentOf(runtime).at),
})

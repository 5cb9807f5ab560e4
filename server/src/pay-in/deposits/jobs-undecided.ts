import type { Job } from '../../platform/jobs/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { undecidedSums } from './first-seed.ts'

/** Raises an alert while deposits at a stolen first seed wait for a decision (docs/decisions/0210). */
export const createUndecidedJob = (runtime: Runtime, everyMs: number): Job => ({
  name: 'deposits at a stolen first seed',
  everyMs,
  run: async () => {
    const sums = await undecidedSums(runtime.db)
    const moment = momentOf(runtime)
    if (sums.size === 0) await resolveAlert(runtime.db, 'first-seed-deposits', 'EVM', moment.at)
    else {
      const count = [...sums.values()].reduce((all, one) => all + one.count, 0)
      const text = `${count} deposits at addresses of the stolen first seed wait for your decision: bursar first-seed list`
      await raiseOrRenewAlert(runtime.db, { kind: 'first-seed-deposits', subject: 'EVM', text }, moment)
    }
    return false
  },
})

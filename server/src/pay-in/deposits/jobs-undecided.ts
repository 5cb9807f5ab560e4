import type { Job } from '../../platform/jobs/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { undecidedDeposits } from './first-seed.ts'

const MOST = 1_000

/** Raises an alert while deposits at a stolen first seed wait for a decision (docs/decisions/0210). */
export const createUndecidedJob = (runtime: Runtime, everyMs: number): Job => ({
  name: 'deposits at a stolen first seed',
  everyMs,
  run: async () => {
    const waiting = await undecidedDeposits(runtime.db, MOST)
    const moment = momentOf(runtime)
    if (waiting.length === 0) await resolveAlert(runtime.db, 'first-seed-deposits', 'EVM', moment.at)
    else {
      const count = waiting.length === MOST ? `${MOST} or more` : waiting.length
      const text = `${count} deposits at addresses of the stolen first seed wait for your decision: bursar first-seed list`
      await raiseOrRenewAlert(runtime.db, { kind: 'first-seed-deposits', subject: 'EVM', text }, moment)
    }
    return false
  },
})

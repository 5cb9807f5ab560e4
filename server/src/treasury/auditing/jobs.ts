import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { auditAccounts } from './commands.ts'
import { readSlice } from './store.ts'

/** Accounts looked at in one run: what a run costs doesn't grow with the installation. */
const SLICE = 5_000

/**
 * Goes over all accounts again and again, a slice a run, and proves those that are not as they were last proved: also
 * one whose balance was changed and nothing else. Payments don't wait for it: what one is to be paid from is proved
 * when it is planned.
 */
export const createAuditJob = (runtime: Runtime, everyMs: number, most = SLICE): Job => {
  let after = 0
  return {
    name: 'audit ledger',
    everyMs,
    run: async (signal) => {
      const { last, changed } = await readSlice(runtime.db, after, most)
      after = last ?? 0
      for (let i = 0; i < changed.length && !signal.aborted; i += 100)
        await auditAccounts(runtime, changed.slice(i, i + 100))
      return false
    },
  }
}

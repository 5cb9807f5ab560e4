import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { auditAccounts } from './commands.ts'
import { readSlice } from './store.ts'

/** Accounts read in one run, so that a run's cost doesn't grow with the installation. */
const SLICE = 5_000

/**
 * Reads all accounts in turn, a slice in each run, and proves those that differ from their last proved state, even if
 * only the balance was changed. Payments don't depend on it: their accounts are proved when they are planned.
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

import { inTransaction } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { countDays } from './counting.ts'

/** Entries that one transaction counts. */
const MOST_ENTRIES = 5_000

/** Creates the job that counts new entries of merchants' balances, some accounts at a time. */
export const createFigureJob = ({ db }: Pick<Runtime, 'db'>, everyMs: number): Job => {
  let after = 0
  return {
    name: 'count days',
    everyMs,
    run: async () => {
      const next = await inTransaction(db, (tx) => countDays(tx, after, MOST_ENTRIES))
      after = next ?? 0
      return next !== undefined
    },
  }
}

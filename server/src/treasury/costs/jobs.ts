import { inTransaction } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { countCosts } from './counting.ts'

/** Creates the job that counts new costs of the ledger. */
export const createCostJob = ({ db }: Pick<Runtime, 'db'>, everyMs: number): Job => ({
  name: 'count network costs',
  everyMs,
  run: async () => {
    await inTransaction(db, countCosts)
    return false
  },
})

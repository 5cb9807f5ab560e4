import { sql } from 'kysely'
import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'

const EVERY_MS = 60_000
const LONGEST_MS = 8 * 24 * 60 * 60_000
const AT_ONCE = 5_000

/** Creates the job that deletes counts after eight days. */
export const createCountPruneJob = ({ db, clock }: Pick<Runtime, 'db' | 'clock'>): Job => ({
  name: 'prune counts of requests',
  everyMs: EVERY_MS,
  run: async () => {
    const before = new Date(clock.now() - LONGEST_MS)
    const { rows } = await sql`delete from request_counts where ctid = any(array(
        select ctid from request_counts where hour < ${before} limit ${AT_ONCE})) returning 1`.execute(db)
    return rows.length === AT_ONCE
  },
})

import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { reasonOfStop } from './store.ts'

/** Whether a stop covers the whole network, not only withdrawals of one asset or merchant. */
const isNetworkStopped = async (db: Db, network: Network): Promise<boolean> =>
  (await reasonOfStop(db, { network: sql`${network}` })) !== undefined

/**
 * Wraps a job that plans the platform's own transactions: it does nothing while its network is stopped, because no
 * signature would be requested for them.
 */
export const unlessStopped = (db: Db, network: Network, job: Job): Job => ({
  ...job,
  run: async (signal) => ((await isNetworkStopped(db, network)) ? false : job.run(signal)),
})

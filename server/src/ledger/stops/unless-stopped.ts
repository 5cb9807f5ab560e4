import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { reasonOfStop } from './store.ts'

/** Whether everything that is sent on a network is stopped, and not withdrawals of one asset or merchant only. */
const isNetworkStopped = async (db: Db, network: Network): Promise<boolean> =>
  (await reasonOfStop(db, { network: sql`${network}` })) !== undefined

/**
 * A job that plans the platform's own transactions, at rest while its network is stopped: the signer would not be asked
 * for them.
 */
export const unlessStopped = (db: Db, network: Network, job: Job): Job => ({
  ...job,
  run: async (signal) => ((await isNetworkStopped(db, network)) ? false : job.run(signal)),
})

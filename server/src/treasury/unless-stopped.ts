import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db } from '../db/index.ts'
import type { Job } from '../jobs/index.ts'

/** Whether everything that is sent on a network is stopped, and not withdrawals of one asset or merchant only. */
export const isNetworkStopped = async (db: Db, network: Network): Promise<boolean> => {
  const { rows } = await sql`select from freezes where lifted_at is null and asset is null and merchant_id is null
    and (network is null or network = ${network}) limit 1`.execute(db)
  return rows.length > 0
}

/** A job that plans transactions of the house itself, at rest while its network is stopped: what it planned would not be signed. */
export const unlessStopped = (db: Db, network: Network, job: Job): Job => ({
  ...job,
  run: async (signal) => ((await isNetworkStopped(db, network)) ? false : job.run(signal)),
})

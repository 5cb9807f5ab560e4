import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'

const EVERY_MS = 60_000
const LONGEST_MS = 30 * 24 * 60 * 60_000
/** Rows of a merchant that stay: a stranger does not displace those that the merchant has signed. */
const MOST_SIGNED = 1_000
const MOST_UNSIGNED = 200
const AT_ONCE = 5_000

/**
 * Creates the job that deletes refused requests after 30 days, and all but the newest of a merchant: 1,000 that it
 * has signed, and 200 without a valid signature.
 */
export const createRefusalPruneJob = ({ db, clock }: Pick<Runtime, 'db' | 'clock'>): Job => ({
  name: 'prune refused requests',
  everyMs: EVERY_MS,
  run: async () => {
    const before = new Date(clock.now() - LONGEST_MS)
    const { rows } = await sql`delete from refused_requests where ctid = any(array(
        select ctid from refused_requests where at < ${before} limit ${AT_ONCE})) returning 1`.execute(db)
    const deleted = [
      rows.length,
      await deleteBehind(db, true, MOST_SIGNED),
      await deleteBehind(db, false, MOST_UNSIGNED),
    ]
    return deleted.includes(AT_ONCE)
  },
})

/** Deletes rows of one kind behind the newest of each merchant. The primary key finds each merchant by one look. */
const deleteBehind = async (db: Db, isSigned: boolean, most: number): Promise<number> => {
  const { rows } = await sql`with recursive m(id) as (
      (select merchant_id from refused_requests order by merchant_id limit 1)
      union all
      select (select merchant_id from refused_requests where merchant_id > m.id order by merchant_id limit 1)
      from m where m.id is not null)
    delete from refused_requests where ctid = any(array(
      select r.ctid from m
        cross join lateral (select at from refused_requests
          where merchant_id = m.id and (key_id is not null) = ${isSigned}::boolean
          order by at desc, request_id desc offset ${most} limit 1) newest
        join refused_requests r on r.merchant_id = m.id and r.at <= newest.at
          and (r.key_id is not null) = ${isSigned}::boolean
      limit ${AT_ONCE})) returning 1`.execute(db)
  return rows.length
}

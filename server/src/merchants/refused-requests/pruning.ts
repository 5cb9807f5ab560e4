import { sql } from 'kysely'
import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'

const EVERY_MS = 60_000
const LONGEST_MS = 30 * 24 * 60 * 60_000
const MOST_OF_A_MERCHANT = 1_000
const AT_ONCE = 5_000

/** Creates the job that deletes refused requests after 30 days, and all but the newest 1,000 of a merchant. */
export const createRefusalPruneJob = ({ db, clock }: Pick<Runtime, 'db' | 'clock'>): Job => ({
  name: 'prune refused requests',
  everyMs: EVERY_MS,
  run: async () => {
    const before = new Date(clock.now() - LONGEST_MS)
    const { rows } = await sql`delete from refused_requests where ctid = any(array(
        select ctid from refused_requests where at < ${before} limit ${AT_ONCE})) returning 1`.execute(db)
    // Each merchant is found by one look at the primary key.
    const { rows: more } = await sql`with recursive m(id) as (
        (select merchant_id from refused_requests order by merchant_id limit 1)
        union all
        select (select merchant_id from refused_requests where merchant_id > m.id order by merchant_id limit 1)
        from m where m.id is not null)
      delete from refused_requests where ctid = any(array(
        select r.ctid from m
          cross join lateral (select at from refused_requests where merchant_id = m.id
            order by at desc, request_id desc offset ${MOST_OF_A_MERCHANT} limit 1) newest
          join refused_requests r on r.merchant_id = m.id and r.at <= newest.at
        limit ${AT_ONCE})) returning 1`.execute(db)
    return rows.length === AT_ONCE || more.length === AT_ONCE
  },
})

import { sql } from 'kysely'
import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { recountTotals } from '../../ledger/address-balances/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { recountCosts } from '../costs/index.ts'

export type Subject = 'deposits' | 'withdrawals'

/** Counts deposits or withdrawals by state; the cost does not depend on their number. */
export const countStates = async (
  db: Db | Tx,
  subject: Subject,
): Promise<{ network: string; state: string; count: number }[]> => {
  const { rows } = await sql<{
    network: string
    state: string
    count: number
  }>`select network, state, sum(count)::bigint as count from (
      select network, state, count from state_counts where subject = ${subject}
      union all select network, state, change from state_changes where subject = ${subject}) x
    group by 1, 2 having sum(count) <> 0 order by 1, 2`.execute(db)
  return rows
}

const MOST_CHANGES = 5_000

/** Creates the job that sums up changes of states, so that few rows have to be read to count them. */
export const createCountJob = (runtime: Runtime, everyMs: number): Job => ({
  name: 'count states',
  everyMs,
  run: async () => {
    const added = await inTransaction(runtime.db, async (tx) => {
      const { rows } = await sql<{ count: number }>`with gone as (
          delete from state_changes where id = any(array(select id from state_changes order by id limit ${MOST_CHANGES} for update skip locked))
          returning subject, network, state, change),
        added as (
          insert into state_counts as c (subject, network, state, count)
          select subject, network, state, sum(change) from gone group by 1, 2, 3 order by 1, 2, 3
          on conflict (subject, network, state) do update set count = c.count + excluded.count)
        select count(*) from gone`.execute(tx)
      return rows[0]!.count
    })
    return added === MOST_CHANGES
  },
})

export interface CountFinding {
  what: string
  counted: string
  found: string
}

/** Compares stored totals with the rows they are totals of. Reads whole tables: run it by hand, once a day. */
export const auditCounts = async (db: Db): Promise<CountFinding[]> => {
  const { rows } = await sql<CountFinding>`
    with states as (
      select subject || ' ' || network || ' ' || state as what, sum(count) as n from (
        select subject, network, state, count from state_counts union all select subject, network, state, change from state_changes) x group by 1),
    real_states as (
      select 'deposits ' || network || ' ' || state as what, count(*)::numeric as n from deposits group by 1
      union all select 'withdrawals ' || blockchain || ' ' || state, count(*) from withdrawals group by 1),
    custody as (select 'custody ' || network || ' ' || asset || ' ' || account as what, booked as n from custody_totals),
    real_custody as (
      select 'custody ' || c.network || ' ' || c.asset || ' ' || custody_account(h.account) as what, sum(c.booked) as n from custody_addresses c
      left join house_addresses h on h.family = family_of(c.network) and h.address = c.address group by 1),
    costs as (select 'network costs ' || network || ' ' || asset || ' ' || operation as what, units as n from network_cost_totals),
    real_costs as (select 'network costs ' || network || ' ' || asset || ' ' || operation as what, sum(units) as n from network_costs group by 1),
    counted as (select * from states union all select * from custody union all select * from costs),
    found as (select * from real_states union all select * from real_custody union all select * from real_costs)
    select what, coalesce(c.n, 0)::text as counted, coalesce(f.n, 0)::text as found
    from counted c full join found f using (what) where coalesce(c.n, 0) <> coalesce(f.n, 0) order by 1`.execute(db)
  return rows
}

/** Recounts all totals. It locks the tables against writes, for about a second for each million rows. */
export const countAnew = async (db: Db): Promise<void> =>
  inTransaction(db, async (tx) => {
    await sql`lock table deposits, withdrawals, custody_addresses, house_addresses, network_costs in share mode`.execute(
      tx,
    )
    await sql`delete from state_changes`.execute(tx)
    await sql`delete from state_counts`.execute(tx)
    await sql`insert into state_counts(subject, network, state, count) select 'deposits', network, state, count(*) from deposits group by 2, 3
      union all select 'withdrawals', blockchain, state, count(*) from withdrawals group by 2, 3`.execute(tx)
    await recountTotals(tx)
    await recountCosts(tx)
  })

import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'

/** An arbitrary lock key, the same in every process: only one of them counts at a time. */
const LOCK = 7_262_635_006

/**
 * Counts the entries of network-costs and acquirer-costs that have come since the last time, by merchant, day (UTC),
 * network or acquirer, and operation. The entries of an account have no gap, so that one number states which are
 * counted, for each account.
 *
 * The operation is read from the posting itself, which never changes: a withdrawal's cost is `payout`, or
 * `payout-failed` when nothing but the fee left; a cost of one of our transactions is its purpose (`filler`,
 * `sweep`...); anything else is named by its cause.
 * @returns accounts that had anything new
 */
export const countCosts = async (tx: Tx): Promise<number> => {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
  const { rows } = await sql`
    with due as materialized (
      select a.id, a.merchant_id, a.asset, a.version, coalesce(c.version, 0) as counted
      from ledger_accounts a left join network_costs_counted c on c.account_id = a.id
      where a.kind in ('network-costs', 'acquirer-costs') and a.version > coalesce(c.version, 0)),
    fresh as materialized (
      select d.merchant_id, d.asset, -e.posted as units, t.id, t.cause_kind, t.cause_id, (t.created_at at time zone 'UTC')::date as day
      from due d
      join ledger_entries e on e.account_id = d.id and e.version > d.counted and e.version <= d.version
      join ledger_transfers t on t.merchant_id = d.merchant_id and t.id = e.transfer_id),
    named as (
      select f.merchant_id, f.day, f.asset, f.units,
        coalesce(entries.network, '') as network,
        case f.cause_kind
          when 'withdrawal' then case when entries.moved then 'payout' else 'payout-failed' end
          when 'outgoing' then coalesce((select purpose from outgoing where id = f.cause_id), 'outgoing')
          else f.cause_kind end as operation
      from fresh f cross join lateral (
        select max(substring(a.kind from '^(?:custody|acquirer):(.*)')) filter (where a.asset = f.asset) as network,
          bool_or(a.kind like 'transit:%') as moved
        from ledger_entries e join ledger_accounts a on a.id = e.account_id where e.transfer_id = f.id) entries),
    added as (
      insert into network_costs(merchant_id, day, network, asset, operation, units, postings)
      select merchant_id, day, network, asset, operation, sum(units), count(*) from named group by 1, 2, 3, 4, 5
      on conflict (merchant_id, day, network, asset, operation)
        do update set units = network_costs.units + excluded.units, postings = network_costs.postings + excluded.postings)
    insert into network_costs_counted(account_id, version) select id, version from due
    on conflict (account_id) do update set version = excluded.version returning account_id`.execute(tx)
  return rows.length
}

/** Recalculates the totals. The caller prevents concurrent writes to `network_costs`. */
export const recountCosts = async (tx: Tx): Promise<void> => {
  await sql`delete from network_cost_totals`.execute(tx)
  await sql`insert into network_cost_totals(network, asset, operation, units) select network, asset, operation, sum(units) from network_costs group by 1, 2, 3`.execute(
    tx,
  )
}

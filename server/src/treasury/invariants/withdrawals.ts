import { sql } from 'kysely'
import { FIRST, FOUND, pageOf, type Invariant, type PageRow } from './invariant.ts'

export const withdrawalInvariants: readonly Invariant[] = [
  {
    name: 'withdrawal-hold',
    statement:
      'The hold of a withdrawal has its amount and fee, and ends once: captured when it is settled or delivered, released when it has failed, and not before.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select w.*, w.id as key from withdrawals w
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        holds as (select p.*, h.kind as hold_kind, h.cause_id as hold_cause, e.held, e.posted, e.lines, c.kind as closed_as, c.cause_id as closed_for
          from page p left join ledger_transfers h on h.merchant_id = p.merchant_id and h.id = p.hold_id
          left join lateral (select sum(e.held) as held, sum(e.posted) as posted, count(*) as lines from ledger_entries e join ledger_accounts a on a.id = e.account_id
            where e.transfer_id = p.hold_id and a.merchant_id = p.merchant_id and a.asset = p.ticker and a.kind = 'merchant') e on true
          left join ledger_transfers c on c.merchant_id = p.merchant_id and c.closes = p.hold_id),
        found as (select ticker as asset, merchant_id, 'withdrawal ' || id as subject, case
            when hold_kind is null then 'it has no hold'
            when hold_kind <> 'hold' or hold_cause <> id or held is distinct from units + fee_units or lines <> 1 or posted <> 0
              then format('its hold holds %s for %s, it needs %s', coalesce(held, 0), hold_cause, units + fee_units)
            else format('it is %s and its hold is %s', state, coalesce(closed_as, 'open')) end as text
          from holds where hold_kind is distinct from 'hold' or hold_cause is distinct from id or held is distinct from units + fee_units or lines <> 1 or posted <> 0
            or closed_for <> id or closed_as is distinct from case when state in ('settled', 'delivered') then 'capture' when state = 'failed' then 'release' end)
        ${FOUND}`.execute(db)
      return pageOf('withdrawal-hold', rows, most)
    },
  },
  {
    name: 'withdrawal-paid-once',
    statement:
      'A withdrawal takes exactly its amount out of our wallets while it is mined or settled, gives exactly its amount to another merchant when it is delivered, and nothing otherwise.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select w.*, w.id as key from withdrawals w
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        sums as (select p.*, s.* from page p cross join lateral (select
            coalesce(sum(e.posted) filter (where a.kind like 'custody:%' or a.kind = 'network-costs'), 0) as paid,
            coalesce(sum(e.posted) filter (where a.kind like 'transit:%'), 0) as transit,
            coalesce(sum(e.posted) filter (where a.kind = 'clearing'), 0) as cleared,
            coalesce(sum(e.posted) filter (where a.kind = 'merchant'), 0) as taken,
            coalesce(sum(e.posted) filter (where a.kind = 'fees'), 0) as earned
          from ledger_transfers t join ledger_entries e on e.transfer_id = t.id join ledger_accounts a on a.id = e.account_id
          where t.merchant_id = p.merchant_id and t.cause_kind = 'withdrawal' and t.cause_id = p.id and a.asset = p.ticker and a.merchant_id = p.merchant_id) s),
        due as (select *, case when state in ('mined', 'settled') and not coalesce(reverts, false) then units else 0 end as pays,
            state in ('settled', 'delivered') as ended
          from (select s.*, (select o.succeeded = false from outgoing o where o.id = s.outgoing_id) as reverts from sums s) s),
        found as (select ticker as asset, merchant_id, 'withdrawal ' || id as subject,
            format('it is %s with %s and a fee of %s: %s has left our wallets, %s is in transit, %s was delivered, the merchant gave %s, %s is income',
              state, units, fee_units, paid, -transit, cleared, -taken, earned) as text
          from due where paid <> pays or transit <> case when state = 'mined' then -pays else 0 end
            or cleared <> case when state = 'delivered' then units else 0 end
            or taken <> case when ended then -(units + fee_units) else 0 end or earned <> case when ended then fee_units else 0 end)
        ${FOUND}`.execute(db)
      return pageOf('withdrawal-paid-once', rows, most)
    },
  },
  {
    name: 'withdrawal-carried',
    statement:
      'Each state of a withdrawal agrees with the transaction that carries it; a failed one that was carried has a final block as proof.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select w.*, w.id as key from withdrawals w
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        carried as (select p.*, o.state as transaction_state, o.succeeded, o.network, o.purpose from page p left join outgoing o on o.id = p.outgoing_id),
        found as (select ticker as asset, merchant_id, 'withdrawal ' || id as subject,
            format('it is %s and its transaction %s is %s', state, coalesce(outgoing_id::text, '(none)'), coalesce(transaction_state, 'absent')) as text
          from carried where not case state
            when 'requested' then outgoing_id is null
            when 'delivered' then outgoing_id is null and internal
            when 'planned' then transaction_state in ('planned', 'signed', 'offered')
            when 'sent' then transaction_state = 'broadcast'
            when 'mined' then transaction_state = 'mined'
            when 'settled' then transaction_state = 'final' and succeeded
            when 'failed' then outgoing_id is null or transaction_state = 'failed' or (transaction_state = 'final' and not succeeded)
            else false end or (outgoing_id is not null and (network <> blockchain or purpose <> 'payout')))
        ${FOUND}`.execute(db)
      return pageOf('withdrawal-carried', rows, most)
    },
  },
  {
    name: 'withdrawal-notified',
    statement: 'Each state of a withdrawal that merchants are notified of has its notification.',
    scope: 'merchant',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } =
        await sql<PageRow>`with page as materialized (select w.*, w.id as key, coalesce((w.told_as->>'objectId')::uuid, w.id) as object_id,
            exists (select from event_archives a where a.until > w.created_at) as archived from withdrawals w
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        due as (select *, case when state = 'failed' then 'Failed' when done_sent then 'Done' when state = 'sent' and told_as is null then 'Pending' end as status from page),
        found as (select null::text as asset, merchant_id, 'withdrawal ' || id as subject,
            format('it is %s and its merchant has no notification %s', state, status) as text
          from due d where status is not null and not archived and not exists (select from events e where e.object_id = d.object_id and e.merchant_id = d.merchant_id
            and e.status = d.status and e.created_at >= d.created_at - interval '1 day'))
        ${FOUND}`.execute(db)
      return pageOf('withdrawal-notified', rows, most)
    },
  },
]

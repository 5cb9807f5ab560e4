import { sql } from 'kysely'
import { FIRST, FOUND, pageOf, type Invariant, type PageRow } from './invariant.ts'

export const cardPayoutInvariants: readonly Invariant[] = [
  {
    name: 'card-payout-hold',
    statement:
      'A card payout holds the amounts and fees of its open parts, has given those of its paid parts, and its parts add up to it.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select p.*, p.id as key from card_payouts p
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        parts as (select p.*, o.*, h.*, s.* from page p
          cross join lateral (select coalesce(sum(t.units), 0) as part_units, coalesce(sum(t.fee_units), 0) as part_fees,
            count(*) filter (where t.state in ('planned', 'sending', 'waiting')) as open,
            coalesce(sum(t.units + t.fee_units) filter (where t.state in ('planned', 'sending', 'waiting')), 0) as open_units,
            coalesce(sum(t.units + t.fee_units) filter (where t.state = 'succeeded'), 0) as paid_units
            from card_payout_parts t where t.merchant_id = p.merchant_id and t.payout_id = p.id) o
          cross join lateral (select coalesce(sum(e.held), 0) as hold_units from ledger_transfers h join ledger_entries e on e.transfer_id = h.id join ledger_accounts a on a.id = e.account_id
            where h.merchant_id = p.merchant_id and h.id = p.hold_id and h.cause_id = p.id and h.kind = 'hold' and a.merchant_id = p.merchant_id and a.asset = p.ticker and a.kind = 'merchant'
              and not exists (select from ledger_transfers c where c.merchant_id = p.merchant_id and c.closes = p.hold_id)) h
          cross join lateral (select coalesce(sum(e.posted), 0) as posted, coalesce(sum(e.held), 0) as held from ledger_transfers t join ledger_entries e on e.transfer_id = t.id join ledger_accounts a on a.id = e.account_id
            where t.merchant_id = p.merchant_id and t.cause_kind = 'card-payout' and t.cause_id = p.id and a.merchant_id = p.merchant_id and a.asset = p.ticker and a.kind in ('merchant', 'receivable')) s),
        found as (select ticker as asset, merchant_id, 'card payout ' || id as subject,
            format('it is of %s and %s fees, its parts of %s and %s; %s open parts (%s said) of %s, held %s; paid %s, given %s',
              units, fee_units, part_units, part_fees, open, open_parts, open_units, hold_units, paid_units, -posted) as text
          from parts where units <> part_units or fee_units <> part_fees or open_parts <> open or hold_units <> open_units or held <> open_units or posted <> -paid_units)
        ${FOUND}`.execute(db)
      return pageOf('card-payout-hold', rows, most)
    },
  },
  // An acquirer may report an order as returned that it never reported as paid: then the part is refused.
  {
    name: 'card-payout-paid-once',
    statement:
      'A part of a card payout has at most one order that is open or paid, and its state is that of its orders.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select p.*, p.id as key from card_payouts p
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        orders as (select t.*, o.* from page p join card_payout_parts t on t.merchant_id = p.merchant_id and t.payout_id = p.id
          cross join lateral (select count(*) filter (where a.state = 'open') as open, count(*) filter (where a.state = 'succeeded') as paid,
            count(*) filter (where a.state = 'reversed') as reversed from card_payout_attempts a where a.part_id = t.id) o),
        found as (select ticker as asset, merchant_id, 'part ' || id || ' of card payout ' || payout_id as subject,
            format('it is %s with %s open, %s paid and %s returned orders', state, open, paid, reversed) as text
          from orders where (open, paid, reversed) is distinct from case state when 'sending' then (1::bigint, 0::bigint, 0::bigint) when 'waiting' then (1::bigint, 0::bigint, 0::bigint)
            when 'succeeded' then (0::bigint, 1::bigint, 0::bigint) when 'reversed' then (0::bigint, 0::bigint, 1::bigint)
            when 'refused' then (0::bigint, 0::bigint, reversed) else (0::bigint, 0::bigint, 0::bigint) end)
        ${FOUND}`.execute(db)
      return pageOf('card-payout-paid-once', rows, most)
    },
  },
  {
    name: 'card-payout-notified',
    statement: 'A card payout whose parts have all ended has a notification of its end.',
    scope: 'merchant',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } =
        await sql<PageRow>`with page as materialized (select p.*, p.id as key, coalesce((p.told_as->>'objectId')::uuid, p.id) as object_id,
            exists (select from event_archives a where a.until > p.created_at) as archived from card_payouts p
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        found as (select null::text as asset, p.merchant_id, 'card payout ' || p.id as subject, 'it has ended, and its merchant has no notification of that' as text
          from page p where p.open_parts = 0 and not archived and not exists (select from events e where e.object_id = p.object_id and e.merchant_id = p.merchant_id
            and e.status in ('Done', 'Failed') and e.created_at >= p.created_at - interval '1 day'))
        ${FOUND}`.execute(db)
      return pageOf('card-payout-notified', rows, most)
    },
  },
]

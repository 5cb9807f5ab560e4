import { sql } from 'kysely'
import { FIRST, FOUND, pageOf, type Invariant, type PageRow } from './invariant.ts'

export const invoiceInvariants: readonly Invariant[] = [
  {
    name: 'crypto-invoice-sums',
    statement:
      'The paid and expected amounts of a crypto invoice are the sums of its payments, whose deposits are in the same state.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select i.*, i.id as key from crypto_invoices i
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        sums as (select p.*, s.* from page p cross join lateral (select coalesce(sum(x.units) filter (where x.state = 'credited'), 0) as paid,
            coalesce(sum(x.fee_units) filter (where x.state = 'credited'), 0) as fee, coalesce(sum(x.units) filter (where x.state = 'waiting'), 0) as waiting,
            count(*) filter (where (x.state = 'credited') <> (d.state = 'credited') or x.units <> d.units or d.id is null) as strange
          from crypto_invoice_payments x left join deposits d on d.merchant_id = x.merchant_id and d.id = x.deposit_id
          where x.merchant_id = p.merchant_id and x.invoice_id = p.id) s),
        found as (select ticker as asset, merchant_id, 'crypto invoice ' || id as subject,
            format('it says %s paid with a fee of %s and %s expected; its payments are %s, %s and %s; %s of them differ from their deposit',
              paid_units, fee_units, waiting_units, paid, fee, waiting, strange) as text
          from sums where paid_units <> paid or fee_units <> fee or waiting_units <> waiting or strange > 0)
        ${FOUND}`.execute(db)
      return pageOf('crypto-invoice-sums', rows, most)
    },
  },
  {
    name: 'invoice-notified',
    statement: 'The state of a crypto invoice has its notification.',
    scope: 'merchant',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } =
        await sql<PageRow>`with page as materialized (select i.*, i.id as key, exists (select from event_archives a where a.until > i.created_at) as archived from crypto_invoices i
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        due as (select *, case when state in ('registered', 'pending') then 'PENDING' when state = 'paid' then 'DONE' when state = 'expired' then 'EXPIRED' end as status from page),
        found as (select null::text as asset, merchant_id, 'crypto invoice ' || id as subject, format('it is %s and its merchant has no notification %s', state, status) as text
          from due d where status is not null and not archived and not exists (select from events e where e.object_id = d.id and e.merchant_id = d.merchant_id
            and e.status = d.status and e.created_at >= d.created_at - interval '1 day'))
        ${FOUND}`.execute(db)
      return pageOf('invoice-notified', rows, most)
    },
  },
  {
    name: 'fiat-invoice-paid',
    statement: 'A fiat invoice that is done names a payment that was credited; its end has its notification.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } =
        await sql<PageRow>`with page as materialized (select i.*, i.id as key, exists (select from event_archives a where a.until > i.created_at) as archived from fiat_invoices i
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        checked as (select p.*, y.state as payment_state, y.paid_units as payment_paid,
            exists (select from events e where e.object_id = p.id and e.merchant_id = p.merchant_id and e.created_at >= p.created_at - interval '1 day'
              and e.status = case p.state when 'done' then 'Done' when 'failed' then 'Failed' else 'Pending' end) as notified
          from page p left join payments y on y.merchant_id = p.merchant_id and y.id = p.payment_id and y.invoice_id = p.id),
        found as (select ticker as asset, merchant_id, 'fiat invoice ' || id as subject,
            format('it is %s with %s paid, its payment is %s with %s, notified: %s', state, coalesce(paid_units, 0), coalesce(payment_state, '(none)'), coalesce(payment_paid, 0), notified) as text
          from checked where (state = 'done' and (payment_state is null or payment_state not in ('credited', 'disputed', 'reversed') or paid_units is distinct from payment_paid))
            or (state <> 'created' and not notified and not archived))
        ${FOUND}`.execute(db)
      return pageOf('fiat-invoice-paid', rows, most)
    },
  },
  {
    name: 'payment-credited-once',
    statement:
      'The postings of a card payment bring exactly its amount, less refunds made at the acquirer, to the account that its state names, once.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select p.*, p.id as key from payments p
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        sums as (select p.*, s.*, b.* from page p cross join lateral (select
            coalesce(sum(e.posted) filter (where a.kind in ('merchant', 'receivable')), 0) as credited,
            coalesce(sum(e.posted) filter (where a.kind = 'suspense'), 0) as suspended
          from ledger_transfers t join ledger_entries e on e.transfer_id = t.id join ledger_accounts a on a.id = e.account_id
          where t.merchant_id = p.merchant_id and t.cause_kind = 'payment' and t.cause_id = p.id and a.merchant_id = p.merchant_id and a.asset = p.paid_ticker) s
          cross join lateral (select
            coalesce(sum(r.units) filter (where h.kind = 'post'), 0) as foreign_units,
            coalesce(sum(r.units) filter (where h.kind <> 'post' and r.source = 'suspense' and r.state <> 'refused'), 0) as own_suspended
          from payment_refunds r join ledger_transfers h on h.merchant_id = r.merchant_id and h.id = r.hold_id
          where r.merchant_id = p.merchant_id and r.payment_id = p.id) b),
        found as (select coalesce(paid_ticker, ticker) as asset, merchant_id, 'payment ' || id as subject,
            format('it is %s with %s paid and a fee of %s: %s is credited, %s in suspense', state, coalesce(paid_units, 0), fee_units, credited, suspended) as text
          from sums where (state in ('credited', 'disputed') and credited + foreign_units > paid_units - fee_units)
            or (state in ('credited', 'disputed') and credited + foreign_units <= 0 and paid_units > fee_units)
            or (state not in ('credited', 'disputed') and credited > case when state = 'reversed' then paid_units - fee_units else 0 end)
            or suspended <> case state when 'suspended' then paid_units - foreign_units when 'reversed' then own_suspended else 0 end)
        ${FOUND}`.execute(db)
      return pageOf('payment-credited-once', rows, most)
    },
  },
  {
    name: 'refunds-of-payment',
    statement:
      'The refunds of a card payment add up to at most the paid amount, and each one holds or has paid its amount.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select r.*, r.id as key from payment_refunds r
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        checked as (select p.*, y.paid_units, y.refunded_units, y.state as payment_state,
            (select sum(o.units) from payment_refunds o where o.merchant_id = p.merchant_id and o.payment_id = p.payment_id and o.state <> 'refused') as refunds,
            h.kind as hold_kind, c.kind as closed_as,
            coalesce(h.kind = 'post' and h.cause_kind = 'payment' and h.cause_id = p.payment_id and p.state = 'done', false) as is_foreign
          from page p left join payments y on y.merchant_id = p.merchant_id and y.id = p.payment_id
          left join ledger_transfers h on h.merchant_id = p.merchant_id and h.id = p.hold_id
          left join ledger_transfers c on c.merchant_id = p.merchant_id and c.closes = p.hold_id),
        found as (select ticker as asset, merchant_id, 'refund ' || id as subject,
            format('it is %s and its hold is %s; all refunds of its payment are %s, %s said, of %s paid', state, coalesce(closed_as, hold_kind, '(none)'), refunds, refunded_units, paid_units) as text
          from checked where paid_units is null or refunds > paid_units or refunds > refunded_units
            or (not is_foreign and (hold_kind is distinct from 'hold'
              or closed_as is distinct from case state when 'done' then 'capture' when 'refused' then 'release' end)))
        ${FOUND}`.execute(db)
      return pageOf('refunds-of-payment', rows, most)
    },
  },
]

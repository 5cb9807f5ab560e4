import { sql } from 'kysely'
import { FIRST, FOUND, NO_ID, pageOf, type Invariant, type PageRow } from './invariant.ts'

export const exchangeInvariants: readonly Invariant[] = [
  {
    name: 'exchange-postings',
    statement: 'A filled exchange has one transfer, of exactly its amounts; one that failed has none.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select x.*, x.id as key from exchanges x
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        found as (select x.spend_ticker as asset, x.merchant_id, 'exchange ' || x.id as subject,
            format('it is %s, and its postings do not agree with it', x.state) as text
          from page x where (x.state = 'failed') <> (x.transfer_id is null)
            or exists (select from ledger_transfers t where t.merchant_id = x.merchant_id and t.cause_kind = 'exchange' and t.cause_id = x.id and t.id is distinct from x.transfer_id)
            or (x.state = 'done' and ((select t.cause_id from ledger_transfers t where t.merchant_id = x.merchant_id and t.id = x.transfer_id and t.cause_kind = 'exchange') is distinct from x.id
              or exists (select from (select k.asset, k.kind, e.posted, e.held from ledger_entries e join ledger_accounts k on k.id = e.account_id where e.transfer_id = x.transfer_id
                union all values (x.spend_ticker, 'merchant', x.exchange_units + x.fee_units, 0::numeric), (x.spend_ticker, 'position', -x.exchange_units, 0),
                  (x.spend_ticker, 'fees', -x.fee_units, 0), (x.target_ticker, 'position', x.target_units, 0), (x.target_ticker, 'merchant', -x.target_units, 0)) l
                group by l.asset, l.kind having sum(l.posted) <> 0 or sum(l.held) <> 0))))
        ${FOUND}`.execute(db)
      return pageOf('exchange-postings', rows, most)
    },
  },
  {
    name: 'exchange-notified',
    // An exchange of a larger order has no localId, and is notified as that order.
    statement: 'Each exchange that was ordered with a localId has its notification.',
    scope: 'merchant',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } =
        await sql<PageRow>`with page as materialized (select x.*, x.id as key, exists (select from event_archives a where a.until > x.created_at) as archived from exchanges x
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        found as (select null::text as asset, p.merchant_id, 'exchange ' || p.id as subject, format('it is %s, and its merchant has no notification of it', p.state) as text
          from page p where not archived and p.local_id is not null
            and not exists (select from events e where e.object_id = p.id and e.merchant_id = p.merchant_id and e.created_at >= p.created_at - interval '1 day'
              and e.status = case p.state when 'done' then 'Done' else 'Failed' end))
        ${FOUND}`.execute(db)
      return pageOf('exchange-notified', rows, most)
    },
  },
  {
    name: 'inventory-is-position',
    statement:
      'The inventory of each asset, with the amounts that orders on a venue have reserved, is the position in the ledger.',
    scope: 'asset',
    start: { merchantId: NO_ID, key: '' },
    find: async (db, after, most) => {
      const { rows } =
        await sql<PageRow>`with page as materialized (select ${NO_ID}::uuid as merchant_id, asset as key, sum(units + reserved) as units from exchange_inventory
          where asset > ${after.key} group by asset order by asset limit ${most}),
        found as (select p.key as asset, null::uuid as merchant_id, 'inventory of ' || p.key as subject,
            format('it has %s, the position is %s', p.units, coalesce(a.posted, 0)) as text
          from page p cross join lateral (select sum(posted) as posted from ledger_accounts a where a.kind = 'position' and a.asset = p.key) a
          where p.units <> coalesce(a.posted, 0))
        ${FOUND}`.execute(db)
      return pageOf('inventory-is-position', rows, most)
    },
  },
]

import { sql } from 'kysely'
import { FIRST, FOUND, NO_ID, pageOf, type Invariant, type PageRow } from './invariant.ts'

/** With the continuous audit, which proves each account entry by entry, these give conservation for each asset. */
export const ledgerInvariants: readonly Invariant[] = [
  {
    name: 'transfers-add-up',
    statement: 'Each transfer has entries, and for each asset they add up to zero.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select merchant_id, id as key from ledger_transfers
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid)
          order by merchant_id, id limit ${most}),
        sums as (select p.merchant_id, p.key, a.asset, sum(e.posted) as units from page p left join ledger_entries e on e.transfer_id = p.key
          left join ledger_accounts a on a.id = e.account_id group by 1, 2, 3),
        found as (select asset, nullif(merchant_id, ${NO_ID}::uuid) as merchant_id, 'transfer ' || key as subject,
            case when asset is null then 'it has no entries' else format('its entries add up to %s %s', units, asset) end as text
          from sums where units is distinct from 0)
        ${FOUND}`.execute(db)
      return pageOf('transfers-add-up', rows, most)
    },
  },
  {
    name: 'balances-are-entries',
    statement: 'The balance of each account is that of its last entry; a bounded account has at least zero available.',
    scope: 'asset',
    start: { merchantId: NO_ID, key: '0' },
    find: async (db, after, most) => {
      const { rows } =
        await sql<PageRow>`with page as materialized (select ${NO_ID}::uuid as merchant_id, id as key, a.merchant_id as owner, asset, kind, posted, held, version, bounded
          from ledger_accounts a where id > ${after.key}::bigint order by id limit ${most}),
        found as (select p.asset, nullif(p.owner, ${NO_ID}::uuid) as merchant_id, 'account ' || p.key as subject,
            case when p.bounded and p.posted < p.held or p.kind = 'merchant' and (p.posted < 0 or p.held < 0)
              then format('%s of %s has %s posted and %s held', p.kind, p.asset, p.posted, p.held)
              else format('%s of %s says %s/%s at version %s, its last entry %s/%s at %s', p.kind, p.asset, p.posted, p.held, p.version,
                coalesce(e.posted_after, 0), coalesce(e.held_after, 0), coalesce(e.version, 0)) end as text
          from page p left join lateral (select * from ledger_entries e where e.account_id = p.key order by e.version desc limit 1) e on true
          where (p.posted, p.held, p.version) is distinct from (coalesce(e.posted_after, 0), coalesce(e.held_after, 0), coalesce(e.version, 0))
            or (p.bounded and p.posted < p.held) or (p.kind = 'merchant' and (p.posted < 0 or p.held < 0)))
        ${FOUND}`.execute(db)
      return pageOf('balances-are-entries', rows, most)
    },
  },
  {
    name: 'local-id-once',
    statement: 'Each localId belongs to exactly one order, which has it.',
    scope: 'merchant',
    start: { merchantId: NO_ID, key: '' },
    find: async (db, after, most) => {
      const { rows } =
        await sql<PageRow>`with page as materialized (select merchant_id, local_id as key, object_id from local_ids
          where (merchant_id, local_id) > (${after.merchantId}::uuid, ${after.key}) order by merchant_id, local_id limit ${most}),
        orders as (select p.merchant_id, p.key, p.object_id,
            (select count(*) from (select w.local_id from withdrawals w where w.merchant_id = p.merchant_id and w.id = p.object_id
              union all select c.local_id from card_payouts c where c.merchant_id = p.merchant_id and c.id = p.object_id
              union all select x.local_id from exchanges x where x.merchant_id = p.merchant_id and x.id = p.object_id
              union all select y.local_id from exchange_withdrawals y where y.merchant_id = p.merchant_id and y.id = p.object_id) o where o.local_id = p.key) as owners
          from page p),
        found as (select null::text as asset, merchant_id, format('localId %s', key) as subject,
            format('%s orders with the id %s have it', owners, object_id) as text from orders where owners <> 1)
        ${FOUND}`.execute(db)
      return pageOf('local-id-once', rows, most)
    },
  },
]

import { sql } from 'kysely'
import { FIRST, FOUND, pageOf, type Invariant, type PageRow } from './invariant.ts'

export const depositInvariants: readonly Invariant[] = [
  {
    name: 'deposit-credited-once',
    statement: 'The postings of a deposit bring exactly its amount to the account that its state names, once.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } =
        await sql<PageRow>`with page as materialized (select d.*, d.id as key, d.index like 's:%' as summed from deposits d
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        sums as (select p.*, s.* from page p cross join lateral (select
            coalesce(sum(e.posted) filter (where a.kind like 'custody:%' or a.kind = 'clearing'), 0) as brought,
            coalesce(sum(e.posted) filter (where a.kind in ('merchant', 'receivable')), 0) as credited,
            coalesce(sum(e.posted) filter (where a.kind = 'fees'), 0) as earned,
            coalesce(sum(e.posted) filter (where a.kind = 'quarantine'), 0) as quarantined,
            coalesce(sum(e.posted) filter (where a.kind = 'suspense'), 0) as suspended
          from ledger_transfers t join ledger_entries e on e.transfer_id = t.id join ledger_accounts a on a.id = e.account_id
          where t.merchant_id = p.merchant_id and t.cause_kind = 'deposit' and t.cause_id = p.id and a.asset = p.asset and a.merchant_id = p.merchant_id) s),
        due as (select *, state in ('credited', 'held', 'rejected', 'suspended') as here from sums),
        found as (select asset, merchant_id, 'deposit ' || id as subject,
            format('it is %s with %s and a fee of %s: %s was brought, %s credited, %s is income, %s in quarantine, %s in suspense',
              state, units, fee_units, -brought, credited, earned, quarantined, suspended) as text
          from due where brought <> case when here and not summed then -units else 0 end
            or credited <> case when state = 'credited' then units - fee_units else 0 end
            or earned <> case when state = 'credited' then fee_units else 0 end
            or quarantined <> case when state in ('held', 'rejected') then units else 0 end
            or suspended <> case when summed then case when here and state <> 'suspended' then -units else 0 end when state = 'suspended' then units else 0 end)
        ${FOUND}`.execute(db)
      return pageOf('deposit-credited-once', rows, most)
    },
  },
  {
    name: 'deposit-block',
    statement: 'A deposit whose money is posted is in a block of the branch that the watcher has read.',
    scope: 'asset',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } = await sql<PageRow>`with page as materialized (select d.*, d.id as key from deposits d
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        found as (select p.asset, p.merchant_id, 'deposit ' || p.id as subject,
            format('it is %s in block %s at height %s, the branch has %s there', p.state, coalesce(p.block_hash, '(none)'), coalesce(p.block_height::text, '(none)'),
              coalesce(b.hash, '(none)')) as text
          from page p left join watch_blocks b on b.network = p.network and b.height = p.block_height
          where not p.internal and p.state in ('credited', 'held', 'rejected', 'suspended')
            and (p.block_height is null or p.block_hash is null or b.hash <> p.block_hash))
        ${FOUND}`.execute(db)
      return pageOf('deposit-block', rows, most)
    },
  },
  {
    name: 'deposit-notified',
    statement:
      'The merchant has the notification of the status that a deposit says was notified, or that of its invoice.',
    scope: 'merchant',
    start: FIRST,
    find: async (db, after, most) => {
      const { rows } =
        await sql<PageRow>`with page as materialized (select d.*, d.id as key, exists (select from event_archives a where a.until > d.created_at) as archived from deposits d
          where (merchant_id, id) > (${after.merchantId}::uuid, ${after.key}::uuid) order by merchant_id, id limit ${most}),
        found as (select null::text as asset, p.merchant_id, 'deposit ' || p.id as subject,
            format('it says that %s was notified, and its merchant has no such notification', p.told) as text
          from page p where not archived
            and not exists (select from events e where e.object_id = p.id and e.merchant_id = p.merchant_id and e.status = p.told and e.created_at >= p.created_at - interval '1 day')
            and not exists (select from crypto_invoice_payments i where i.merchant_id = p.merchant_id and i.deposit_id = p.id))
        ${FOUND}`.execute(db)
      return pageOf('deposit-notified', rows, most)
    },
  },
]

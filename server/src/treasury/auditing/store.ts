import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { AuditedAccount, AuditedEntry, Finding, AccountVersion } from './account.ts'

/** Entries of one account that are proved at once. */
export const MOST_ENTRIES = 2_000

export interface Unproved {
  account: AuditedAccount
  entries: AuditedEntry[]
}

/** Reads accounts and their entries since they were last proved, in one snapshot. */
export const readUnproved = async (db: Db, ids: readonly number[]): Promise<Unproved[]> => {
  const { rows } = await sql<
    Omit<AuditedAccount, 'proved'> & {
      v0: number
      p0: bigint
      h0: bigint
      entries: [number, string, string, string, string, string][] | null
    }
  >`
    select a.id, a.merchant_id as "merchantId", a.asset, a.kind, a.posted, a.held, a.version,
      coalesce(c.version, 0) as v0, coalesce(c.posted, 0) as p0, coalesce(c.held, 0) as h0, e.entries
    from unnest(${[...ids]}::bigint[]) u(id) join ledger_accounts a on a.id = u.id left join audited_accounts c on c.account_id = a.id
    cross join lateral (select json_agg(json_build_array(x.version, x.transfer_id, x.posted::text, x.held::text, x.posted_after::text, x.held_after::text) order by x.version) as entries
      from (select * from ledger_entries where account_id = a.id and version > coalesce(c.version, 0) order by version limit ${MOST_ENTRIES}) x) e
    order by a.id`.execute(db)
  return rows.map(({ v0, p0, h0, entries, ...account }) => ({
    account: { ...account, proved: { version: v0, posted: p0, held: h0 } },
    entries: (entries ?? []).map(([version, transferId, posted, held, postedAfter, heldAfter]) => ({
      version,
      transferId,
      posted: BigInt(posted),
      held: BigInt(held),
      postedAfter: BigInt(postedAfter),
      heldAfter: BigInt(heldAfter),
    })),
  }))
}

/** An entry with the fields of its account. */
export interface EntryAsked {
  accountId: number
  merchantId: string
  asset: string
  kind: string
  version: number
  transferId: string
  posted: bigint
  held: bigint
}

export interface Fault {
  accountId: number
  version: number
  detail: string
}

const column = <T, V>(asked: readonly T[], of: (one: T) => V): V[] => asked.map(of)

/**
 * Returns entries whose transfer is missing, does not add up to zero, contains another merchant's account, is a hold
 * but moves money, or releases more than a hold of the same cause held.
 */
export const faultyTransfers = async (db: Db, asked: readonly EntryAsked[]): Promise<Fault[]> => {
  const { rows } = await sql<Fault>`select u.a as "accountId", u.v as version, case
      when t.id is null then format('its transfer %s is missing', u.t)
      when unbalanced.asset is not null then format('its transfer %s adds up to %s %s', u.t, unbalanced.sum, unbalanced.asset)
      when stranger.id is not null then format('its transfer %s has an entry on account %s, which is not its merchant''s', u.t, stranger.id)
      when u.p <> 0 and t.kind in ('hold', 'release') then format('its transfer %s is a %s and moves %s', u.t, t.kind, u.p)
      else format('its transfer %s frees %s that no hold of its own has held', u.t, -u.h) end as detail
    from unnest(${column(asked, (e) => e.accountId)}::bigint[], ${column(asked, (e) => e.merchantId)}::uuid[], ${column(asked, (e) => e.version)}::bigint[],
      ${column(asked, (e) => e.transferId)}::uuid[], ${column(asked, (e) => e.posted.toString())}::numeric[], ${column(asked, (e) => e.held.toString())}::numeric[]) u(a, m, v, t, p, h)
    left join lateral (select * from ledger_transfers t where t.merchant_id = u.m and t.id = u.t offset 0) t on true
    left join lateral (select x.asset, sum(e.posted) as sum from ledger_entries e join ledger_accounts x on x.id = e.account_id
      where e.transfer_id = u.t group by x.asset having sum(e.posted) <> 0 limit 1) unbalanced on true
    left join lateral (select x.id from ledger_entries e join ledger_accounts x on x.id = e.account_id where e.transfer_id = u.t and x.merchant_id <> u.m limit 1) stranger on true
    where t.id is null or unbalanced.asset is not null or stranger.id is not null or (u.p <> 0 and t.kind in ('hold', 'release'))
      or (u.h < 0 and not exists (select from ledger_entries h join ledger_transfers o on o.merchant_id = u.m and o.id = h.transfer_id
        where h.transfer_id = t.closes and h.account_id = u.a and h.held = -u.h and o.cause_kind = t.cause_kind and o.cause_id = t.cause_id))`.execute(
    db,
  )
  return rows
}

/**
 * Returns entries of merchants that differ from their exchange: each transfer must move exactly the spent, fee and
 * received amounts of its one exchange, and the received amount must come from a position that has it, over all
 * merchants.
 */
export const faultyExchanges = async (db: Db, asked: readonly EntryAsked[]): Promise<Fault[]> => {
  const { rows } = await sql<Fault>`with asked as (
      select u.a, u.v, u.asset, u.p, t.* from unnest(${column(asked, (e) => e.accountId)}::bigint[], ${column(asked, (e) => e.merchantId)}::uuid[], ${column(asked, (e) => e.asset)}::text[],
        ${column(asked, (e) => e.version)}::bigint[], ${column(asked, (e) => e.transferId)}::uuid[], ${column(asked, (e) => e.posted.toString())}::numeric[]) u(a, m, asset, v, t, p)
      cross join lateral (select * from ledger_transfers t where t.merchant_id = u.m and t.id = u.t offset 0) t where t.cause_kind = 'exchange'),
    sold_out as materialized (select i.asset from (select distinct asset from asked where p > 0) i
      where (select sum(posted) from ledger_accounts a where a.kind = 'position' and a.asset = i.asset) < 0)
    select q.a as "accountId", q.v as version, case when q.p > 0 and q.asset in (select asset from sold_out)
      then format('exchange %s credits %s of which the position has less than nothing', q.cause_id, q.asset)
      else format('its transfer %s differs from exchange %s', q.id, q.cause_id) end as detail
    from asked q where (q.p > 0 and q.asset in (select asset from sold_out)) or not exists (select from exchanges x
      where x.merchant_id = q.merchant_id and x.id = q.cause_id and x.transfer_id = q.id and x.state = 'done' and not exists (
        select from (select k.asset, k.kind, e.posted, e.held from ledger_entries e join ledger_accounts k on k.id = e.account_id where e.transfer_id = q.id
          union all values (x.spend_ticker, 'merchant', x.exchange_units + x.fee_units, 0::numeric), (x.spend_ticker, 'position', -x.exchange_units, 0),
            (x.spend_ticker, 'fees', -x.fee_units, 0), (x.target_ticker, 'position', x.target_units, 0), (x.target_ticker, 'merchant', -x.target_units, 0)) l
        group by l.asset, l.kind having sum(l.posted) <> 0 or sum(l.held) <> 0))`.execute(db)
  return rows
}

/** Accounts of a merchant that may hold money that a cause brought. */
const CLAIMS = ['merchant', 'quarantine', 'receivable', 'suspense']
/** Accounts whose credits need a cause that brought as much. */
export const NEEDS_CAUSE: readonly string[] = ['merchant', 'quarantine']

/**
 * Returns credits without a cause, and those whose cause brought less than the merchant has from it by now. Each kind
 * of cause has a query of the amount it brings of an asset: zero when it only takes, null when there is no such cause.
 */
export const groundlessCredits = async (db: Db, asked: readonly EntryAsked[]): Promise<Fault[]> => {
  const { rows } = await sql<Fault>`select c.a as "accountId", c.v as version, case
      when c.brought is null then format('it is credited by %s %s, which does not exist', c.kind, c.cause)
      else format('%s %s brought %s and has credited %s', c.kind, c.cause, c.brought, c.net) end as detail
    from (select u.a, u.v, t.cause_kind as kind, t.cause_id as cause, case t.cause_kind
        when 'deposit' then (select d.units from deposits d where d.merchant_id = u.m and d.id = t.cause_id and d.asset = u.asset)
        when 'exchange' then (select x.target_units from exchanges x where x.merchant_id = u.m and x.id = t.cause_id and x.target_ticker = u.asset)
        when 'payment' then (select p.paid_units from payments p where p.merchant_id = u.m and p.id = t.cause_id and p.paid_ticker = u.asset)
        when 'refund' then (select r.units from payment_refunds r where r.merchant_id = u.m and r.id = t.cause_id and r.ticker = u.asset)
        when 'adjustment' then coalesce((select g.units from capital_grants g where g.merchant_id = u.m and g.id = t.cause_id and g.asset = u.asset),
          (select j.units from adjustments j join adjustment_signatures s on s.adjustment_id = j.id where j.id = t.cause_id and j.asset = u.asset and j.to_account = 'merchant:' || u.m))
        when 'withdrawal' then (select 0 from withdrawals w where w.merchant_id = u.m and w.id = t.cause_id)
        when 'card-payout' then (select 0 from card_payouts p where p.merchant_id = u.m and p.id = t.cause_id)
      end as brought,
      (select sum(e.posted) from ledger_transfers x join ledger_entries e on e.transfer_id = x.id
        join ledger_accounts k on k.id = e.account_id and k.merchant_id = u.m and k.asset = u.asset and k.kind = any(${CLAIMS})
        where x.cause_id = t.cause_id and x.merchant_id = u.m) as net
      from unnest(${column(asked, (e) => e.accountId)}::bigint[], ${column(asked, (e) => e.merchantId)}::uuid[], ${column(asked, (e) => e.asset)}::text[],
        ${column(asked, (e) => e.version)}::bigint[], ${column(asked, (e) => e.transferId)}::uuid[]) u(a, m, asset, v, t)
      cross join lateral (select * from ledger_transfers t where t.merchant_id = u.m and t.id = u.t offset 0) t) c
    where c.brought is null or c.net > c.brought`.execute(db)
  return rows
}

/** Findings of these accounts that an operator accepted, as `ACCOUNT/VERSION/FINDING`. */
export const acceptedFindings = async (db: Db, ids: readonly number[]): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{
    key: string
  }>`select format('%s/%s/%s', account_id, version, finding) as key from audit_findings
    where account_id = any(${[...ids]}::bigint[]) and settled_by is not null`.execute(db)
  return new Set(rows.map(({ key }) => key))
}

/** Stores the proved state of accounts, unless another process has proved them further. */
export const storeProved = async (
  tx: Tx,
  proved: readonly (AccountVersion & { id: number })[],
  at: Date,
): Promise<void> => {
  if (proved.length === 0) return
  await sql`insert into audited_accounts(account_id, version, posted, held, audited_at)
    select a, v, p, h, ${at} from unnest(${column(proved, (o) => o.id)}::bigint[], ${column(proved, (o) => o.version)}::bigint[],
      ${column(proved, (o) => o.posted.toString())}::numeric[], ${column(proved, (o) => o.held.toString())}::numeric[]) u(a, v, p, h) order by a
    on conflict (account_id) do update set version = excluded.version, posted = excluded.posted, held = excluded.held, audited_at = excluded.audited_at
      where audited_accounts.version < excluded.version`.execute(tx)
}

/** Stores a finding. @returns whether it is new: an open finding is stored once */
export const storeFinding = async (
  tx: Tx,
  { accountId, version, finding, detail }: Finding,
  at: Date,
): Promise<boolean> => {
  const { rows } = await sql`insert into audit_findings(account_id, version, finding, detail, found_at)
    values (${accountId}, ${version}, ${finding}, ${detail}, ${at})
    on conflict (account_id, version, finding) do update set detail = excluded.detail, found_at = excluded.found_at, settled_at = null
      where audit_findings.settled_at is not null and audit_findings.settled_by is null returning 1`.execute(tx)
  return rows.length > 0
}

/** Ends the findings of accounts that are proved now. @returns the accounts that had any */
export const settleProved = async (tx: Tx, ids: readonly number[], at: Date): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`update audit_findings set settled_at = ${at}
    where account_id = any(${[...ids]}::bigint[]) and settled_at is null returning account_id as id`.execute(tx)
  return [...new Set(rows.map(({ id }) => id))]
}

export interface OpenFinding extends Finding {
  merchantId: string
  asset: string
  kind: string
  foundAt: Date
}

export const listOpenFindings = async (db: Db): Promise<OpenFinding[]> => {
  const { rows } =
    await sql<OpenFinding>`select f.account_id as "accountId", f.version, f.finding, f.detail, f.found_at as "foundAt", a.merchant_id as "merchantId", a.asset, a.kind
    from audit_findings f join ledger_accounts a on a.id = f.account_id where f.settled_at is null order by f.found_at`.execute(
      db,
    )
  return rows
}

/**
 * Records that an operator accepts a finding: the account is proved from there on. Returns false when there is no such
 * open finding that can be accepted.
 */
export const acceptFinding = async (
  tx: Tx,
  { accountId, version }: Pick<Finding, 'accountId' | 'version'>,
  { actor, reason }: { actor: string; reason: string },
  at: Date,
): Promise<boolean> => {
  const { rows } =
    await sql`update audit_findings set settled_at = ${at}, settled_by = ${actor}, settled_reason = ${reason}
    where account_id = ${accountId} and version = ${version} and finding in ('transfer', 'cause') and settled_at is null returning 1`.execute(
      tx,
    )
  return rows.length > 0
}

/**
 * Returns the next accounts by id, and those of them that differ from their last proved state or have an open finding.
 */
export const readSlice = async (
  db: Db,
  after: number,
  most: number,
): Promise<{ last: number | undefined; changed: number[] }> => {
  const { rows } = await sql<{
    id: number
    same: boolean
  }>`select a.id, coalesce(c.version = a.version and c.posted = a.posted and c.held = a.held, a.version = 0 and a.posted = 0 and a.held = 0)
      and not exists (select from audit_findings f where f.account_id = a.id and f.settled_at is null) as same
    from (select id, version, posted, held from ledger_accounts where id > ${after} order by id limit ${most}) a
    left join audited_accounts c on c.account_id = a.id order by a.id`.execute(db)
  return {
    last: rows.length === most ? rows.at(-1)!.id : undefined,
    changed: rows.filter(({ same }) => !same).map(({ id }) => id),
  }
}

/** An outgoing payment: a waiting withdrawal, or a planned part of a card payout. */
export interface Payment {
  id: string
  merchantId: string
  ticker: string
}

/**
 * Queries of payments with their holds, in one snapshot: payments whose state has changed meanwhile are left out. A
 * hold of a card payout must cover all its open parts.
 */
const PAYMENTS = {
  withdrawal: sql`select w.id, w.merchant_id, w.ticker, w.hold_id, w.id as cause, w.units + w.fee_units as units from withdrawals w where w.state = 'requested'`,
  'card-payout-part': sql`select t.id, t.merchant_id, t.ticker, p.hold_id, p.id as cause, (select sum(o.units + o.fee_units) from card_payout_parts o
      where o.merchant_id = t.merchant_id and o.payout_id = t.payout_id and o.state in ('planned', 'sending', 'waiting')) as units
    from card_payout_parts t join card_payouts p on p.merchant_id = t.merchant_id and p.id = t.payout_id where t.state = 'planned'`,
} as const
export type PaymentKind = keyof typeof PAYMENTS

/** Returns payments whose hold is missing, has ended, belongs to another cause, or holds less. */
export const withoutHold = async (db: Db, kind: PaymentKind, asked: readonly Payment[]): Promise<string[]> => {
  const { rows } = await sql<{
    id: string
  }>`select p.id from unnest(${column(asked, (o) => o.merchantId)}::uuid[], ${column(asked, (o) => o.id)}::uuid[]) u(m, i)
    join (${PAYMENTS[kind]}) p on p.merchant_id = u.m and p.id = u.i
    where not exists (select from ledger_transfers t join ledger_entries e on e.transfer_id = t.id
        join ledger_accounts a on a.id = e.account_id and a.merchant_id = p.merchant_id and a.asset = p.ticker and a.kind = 'merchant'
        where t.merchant_id = p.merchant_id and t.id = p.hold_id and t.cause_id = p.cause and e.held >= p.units)
      or exists (select from ledger_transfers c where c.merchant_id = p.merchant_id and c.closes = p.hold_id)`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

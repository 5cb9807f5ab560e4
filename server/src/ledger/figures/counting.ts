import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'

/** Accounts that one transaction reads. */
const MOST_ACCOUNTS = 500

interface Account {
  id: number
  merchantId: string
  asset: string
  version: number
  /** the version up to which entries are counted, and their newest day as `2026-11-28`; null: none is counted */
  counted: number
  day: string | null
}

/**
 * Counts entries of merchants' balances that are not counted yet.
 * @param after the account behind which it begins; 0: the first one
 * @param most entries that it counts
 * @returns the account behind which the next call begins; undefined: no account is left, or another worker counts
 */
export const countDays = async (tx: Tx, after: number, most: number): Promise<number | undefined> => {
  if (!(await takeTurn(tx))) return undefined
  const accounts = await accountsAfter(tx, after)
  let left = most
  let done = after
  for (const account of accounts) {
    const entries = Math.min(left, account.version - account.counted)
    if (entries > 0) await countEntries(tx, account, account.counted + entries)
    left -= entries
    if (account.counted + entries < account.version) return done
    done = account.id
  }
  return accounts.length === 0 ? undefined : done
}

/** Takes a lock, so that only one worker counts at a time; false when another one has it. */
const takeTurn = async (tx: Tx): Promise<boolean> => {
  const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(7262635002) as got`.execute(tx)
  return rows[0]!.got
}

const accountsAfter = async (tx: Tx, after: number): Promise<Account[]> => {
  const { rows } = await sql<Account>`
    select a.id, a.merchant_id as "merchantId", a.asset, a.version, coalesce(b.version, 0) as counted, b.day
    from (select id, merchant_id, asset, version from ledger_accounts where kind = 'merchant' and id > ${after}
      order by id limit ${MOST_ACCOUNTS}) a
    left join lateral (select version, to_char(day, 'YYYY-MM-DD') as day from daily_balances
      where merchant_id = a.merchant_id and asset = a.asset order by daily_balances.day desc limit 1) b on true
    order by a.id`.execute(tx)
  return rows
}

/**
 * Counts the next entries of an account. `last`: the version of the last one. `offset 0` has PostgreSQL find each
 * transfer by its key: for a join of many entries it would read all transfers.
 */
const countEntries = async (tx: Tx, { id, merchantId, asset, counted, day }: Account, last: number): Promise<void> => {
  await sql`with dated as (
      select e.version, e.posted, e.posted_after, t.cause_kind,
        greatest(${day}::date, max((t.created_at at time zone 'UTC')::date) over (order by e.version)) as day
      from ledger_entries e cross join lateral (
        select cause_kind, created_at from ledger_transfers where merchant_id = ${merchantId} and id = e.transfer_id offset 0) t
      where e.account_id = ${id} and e.version > ${counted} and e.version <= ${last}),
    balances as (
      insert into daily_balances as b (merchant_id, asset, day, version, posted)
      select distinct on (day) ${merchantId}::uuid, ${asset}::text, day, version, posted_after from dated order by day, version desc
      on conflict (merchant_id, asset, day) do update set version = excluded.version, posted = excluded.posted)
    insert into daily_figures as f (merchant_id, day, asset, cause, entries, units)
    select ${merchantId}::uuid, day, ${asset}::text, cause_kind, count(*), sum(posted) from dated where posted > 0 group by day, cause_kind
    on conflict (merchant_id, day, asset, cause) do update
      set entries = f.entries + excluded.entries, units = f.units + excluded.units`.execute(tx)
}

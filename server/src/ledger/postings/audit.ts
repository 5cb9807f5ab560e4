import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

export interface Finding {
  check: 'transfer-balance' | 'account-balance' | 'account-chain' | 'hash-chain' | 'held' | 'negative'
  subject: string
  detail: string
}

/**
 * Checks the ledger: every transfer adds up to zero for each asset, every balance equals the sum of its entries, no
 * account's history has a gap, held amounts equal the open holds, no bounded account is negative. It checks everything
 * at once and shares no statement with `verify.ts`. For tests and benchmarks, whose ledgers are small.
 */
export const auditLedger = async (db: Db): Promise<Finding[]> => {
  const found: Finding[] = []
  const run = async (check: Finding['check'], query: ReturnType<typeof sql<{ subject: string; detail: string }>>) => {
    for (const row of (await query.execute(db)).rows) found.push({ check, ...row })
  }
  await run(
    'transfer-balance',
    sql`
    select e.transfer_id::text as subject, a.asset || ' adds up to ' || sum(e.posted) as detail
    from ledger_entries e join ledger_accounts a on a.id = e.account_id
    group by e.transfer_id, a.asset having sum(e.posted) <> 0`,
  )
  await run(
    'account-balance',
    sql`
    select a.id::text as subject, format('account says %s/%s, entries %s/%s', a.posted, a.held, e.posted, e.held) as detail
    from ledger_accounts a
    left join (select account_id, sum(posted) as posted, sum(held) as held from ledger_entries group by account_id) e
      on e.account_id = a.id
    where a.posted <> coalesce(e.posted, 0) or a.held <> coalesce(e.held, 0)`,
  )
  await run(
    'account-chain',
    sql`
    select x.account_id::text as subject, 'history breaks at version ' || x.version as detail from (
      select account_id, version, posted_after, held_after, posted, held,
        lag(version, 1, 0::bigint) over w as v, lag(posted_after, 1, 0::numeric) over w as p, lag(held_after, 1, 0::numeric) over w as h
      from ledger_entries window w as (partition by account_id order by version)) x
    where x.version <> x.v + 1 or x.posted_after <> x.p + x.posted or x.held_after <> x.h + x.held`,
  )
  await run(
    'held',
    sql`
    select a.id::text as subject, format('account holds %s, its open holds %s', a.held, coalesce(h.held, 0)) as detail
    from ledger_accounts a
    left join (
      select e.account_id, sum(e.held) as held from ledger_entries e
      join ledger_accounts acc on acc.id = e.account_id
      where e.held > 0 and not exists (
        select from ledger_transfers c where c.merchant_id = acc.merchant_id and c.closes = e.transfer_id)
      group by e.account_id) h on h.account_id = a.id
    where a.held <> coalesce(h.held, 0)`,
  )
  await run(
    'negative',
    sql`
    select id::text as subject, format('%s %s has %s posted, %s held', asset, kind, posted, held) as detail
    from ledger_accounts where bounded and posted - held < 0`,
  )
  return found
}

/**
 * Resets an account whose balance was changed without entries to the balance of its last entry.
 * @returns the balance before and after; undefined when there is no such account
 */
export const restoreBalance = async (
  tx: Tx,
  accountId: number,
): Promise<{ before: [bigint, bigint]; after: [bigint, bigint] } | undefined> => {
  const { rows } = await sql<{
    p0: bigint
    h0: bigint
    p: bigint
    h: bigint
  }>`with account as (select * from ledger_accounts where id = ${accountId} for no key update),
      last as (select version, posted_after, held_after from ledger_entries where account_id = ${accountId} order by version desc limit 1)
    update ledger_accounts a set version = coalesce(l.version, 0), posted = coalesce(l.posted_after, 0), held = coalesce(l.held_after, 0)
    from account b left join last l on true where a.id = b.id returning b.posted as p0, b.held as h0, a.posted as p, a.held as h`.execute(
    tx,
  )
  const [row] = rows
  return row && { before: [row.p0, row.h0], after: [row.p, row.h] }
}

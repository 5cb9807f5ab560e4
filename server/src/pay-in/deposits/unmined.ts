import type { ChainTransaction, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'

/** A deposit that waits for its transaction to be mined, or mined again. */
export interface Unmined {
  merchantId: string
  id: string
  transaction: string
  index: string
  gone: boolean
}

/** Deposits of a network that are in no block of the best chain and may still come. Few, whatever the table holds. */
export const unminedOf = async (tx: Tx, network: Network): Promise<Unmined[]> => {
  const { rows } = await sql<Unmined>`
    select merchant_id as "merchantId", id, transaction, index, gone_at is not null as gone from deposits
    where network = ${network} and block_height is null and state in ('pending', 'orphaned')`.execute(tx)
  return rows
}

/** A deposit that waits, and the transaction that used up what its own needs. */
export interface Conflict {
  deposit: Pick<Unmined, 'merchantId' | 'id' | 'transaction' | 'index'>
  transaction: string
}

/**
 * Deposits that wait for what transactions of a block use up: a key of their own, or one that only an unconfirmed
 * ancestor, or the very transaction, as its pool showed it, was to use.
 */
export const conflictsWith = async (
  tx: Tx,
  network: Network,
  transactions: readonly Pick<ChainTransaction, 'hash' | 'keys'>[],
): Promise<Conflict[]> => {
  const used = transactions.flatMap(({ hash, keys }) => keys.map((key) => ({ key, hash })))
  const { rows } = await sql<Conflict['deposit'] & { usedBy: string }>`with used as materialized (
      select * from unnest(${used.map(({ key }) => key)}::text[], ${used.map(({ hash }) => hash)}::text[]) u(key, hash)),
    waiting as (select d.merchant_id, d.id, d.network, d.transaction, d.index, d.keys from deposits d
      where d.network = ${network} and d.block_height is null and d.state in ('pending', 'orphaned'))
    select distinct on (c.merchant_id, c.id) c.merchant_id as "merchantId", c.id, c.transaction, c.index, c.hash as "usedBy" from (
      select w.merchant_id, w.id, w.transaction, w.index, u.hash, 0 as far, k.n as place
        from waiting w cross join lateral unnest(w.keys) with ordinality k(key, n) join used u on u.key = k.key
      union all
      select w.merchant_id, w.id, w.transaction, w.index, u.hash, 1, k.n
        from waiting w join deposit_ancestry a on a.network = w.network and a.transaction = w.transaction
          cross join lateral unnest(a.keys, a.spenders) with ordinality k(key, spender, n) join used u on u.key = k.key and u.hash <> k.spender
        where w.index not like 's:%') c
    order by c.merchant_id, c.id, c.far, c.place`.execute(tx)
  return rows.map(({ usedBy, ...deposit }) => ({ deposit, transaction: usedBy }))
}

/** Notes which transaction used up what deposits need, in the block at `height`. */
export const setConflicts = async (tx: Tx, conflicts: readonly Conflict[], height: number): Promise<void> => {
  if (conflicts.length === 0) return
  await sql`update deposits d set conflict_transaction = u.t, conflict_height = ${height}
    from unnest(${conflicts.map((c) => c.deposit.merchantId)}::uuid[], ${conflicts.map((c) => c.deposit.id)}::uuid[],
      ${conflicts.map((c) => c.transaction)}::text[]) u(m, i, t)
    where d.merchant_id = u.m and d.id = u.i and d.conflict_transaction is null`.execute(tx)
}

/** Forgets conflicts that stood in lost blocks. */
export const clearConflicts = async (tx: Tx, network: Network, fromHeight: number): Promise<void> => {
  await sql`update deposits set conflict_transaction = null, conflict_height = null
    where network = ${network} and block_height is null and state in ('pending', 'orphaned')
      and conflict_height >= ${fromHeight}`.execute(tx)
}

/** Notes since when deposits are in neither pool nor chain. */
export const setGone = async (tx: Tx, deposits: readonly Unmined[], since: Date): Promise<void> => {
  if (deposits.length === 0) return
  await sql`update deposits d set gone_at = ${since}
    from unnest(${deposits.map((d) => d.merchantId)}::uuid[], ${deposits.map((d) => d.id)}::uuid[]) u(m, i)
    where d.merchant_id = u.m and d.id = u.i and d.block_height is null`.execute(tx)
}

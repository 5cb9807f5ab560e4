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

/**
 * Returns the deposits of a network that are in no block of the best chain and may still be mined. They are few,
 * even in a large table.
 */
export const unminedOf = async (tx: Tx, network: Network): Promise<Unmined[]> => {
  const { rows } = await sql<Unmined>`
    select merchant_id as "merchantId", id, transaction, index, gone_at is not null as gone from deposits
    where network = ${network} and block_height is null and state in ('pending', 'orphaned')`.execute(tx)
  return rows
}

/** A waiting deposit, and the transaction that used up a coin or the nonce of the deposit's own transaction. */
export interface Conflict {
  deposit: Pick<Unmined, 'merchantId' | 'id' | 'transaction' | 'index'>
  transaction: string
}

/**
 * Returns waiting deposits that conflict with transactions of a block: those use up a key of the deposit's transaction,
 * or a key that an unconfirmed ancestor, or the transaction itself as the pool showed it, was to use. A transaction's
 * keys are compared once, because it may have thousands of deposits.
 */
export const conflictsWith = async (
  tx: Tx,
  network: Network,
  transactions: readonly Pick<ChainTransaction, 'hash' | 'keys'>[],
): Promise<Conflict[]> => {
  const used = transactions.flatMap(({ hash, keys }) => keys.map((key) => ({ key, hash })))
  const { rows } = await sql<Conflict['deposit'] & { usedBy: string }>`with used as materialized (
      select * from unnest(${used.map(({ key }) => key)}::text[], ${used.map(({ hash }) => hash)}::text[]) u(key, hash)),
    waiting as materialized (select d.merchant_id, d.id, d.transaction, d.index, d.keys from deposits d
      where d.network = ${network} and d.block_height is null and d.state in ('pending', 'orphaned')),
    own as materialized (select distinct on (w.transaction) w.transaction, w.keys from waiting w where cardinality(w.keys) > 0),
    direct as materialized (select distinct on (o.transaction) o.transaction, u.hash
      from own o cross join lateral unnest(o.keys) with ordinality k(key, n) join used u on u.key = k.key
      order by o.transaction, k.n),
    standing as materialized (select a.transaction, a.keys, a.spenders from deposit_ancestry a
      where a.network = ${network} and a.transaction in (select w.transaction from waiting w)),
    inherited as materialized (select distinct on (s.transaction) s.transaction, u.hash
      from standing s cross join lateral unnest(s.keys, s.spenders) with ordinality k(key, spender, n)
        join used u on u.key = k.key and u.hash <> k.spender
      order by s.transaction, k.n)
    select w.merchant_id as "merchantId", w.id, w.transaction, w.index, coalesce(d.hash, i.hash) as "usedBy" from waiting w
      left join direct d on d.transaction = w.transaction and cardinality(w.keys) > 0
      left join inherited i on i.transaction = w.transaction and w.index not like 's:%'
    where coalesce(d.hash, i.hash) is not null
    order by w.merchant_id, w.id`.execute(tx)
  return rows.map(({ usedBy, ...deposit }) => ({ deposit, transaction: usedBy }))
}

/** Records the conflicting transaction of deposits, in the block at `height`. */
export const setConflicts = async (tx: Tx, conflicts: readonly Conflict[], height: number): Promise<void> => {
  if (conflicts.length === 0) return
  await sql`update deposits d set conflict_transaction = u.t, conflict_height = ${height}
    from unnest(${conflicts.map((c) => c.deposit.merchantId)}::uuid[], ${conflicts.map((c) => c.deposit.id)}::uuid[],
      ${conflicts.map((c) => c.transaction)}::text[]) u(m, i, t)
    where d.merchant_id = u.m and d.id = u.i and d.conflict_transaction is null`.execute(tx)
}

/** Deletes conflicts in lost blocks. */
export const clearConflicts = async (tx: Tx, network: Network, fromHeight: number): Promise<void> => {
  await sql`update deposits set conflict_transaction = null, conflict_height = null
    where network = ${network} and block_height is null and state in ('pending', 'orphaned')
      and conflict_height >= ${fromHeight}`.execute(tx)
}

/** Records since when deposits are in neither pool nor chain. */
export const setGone = async (tx: Tx, deposits: readonly Unmined[], since: Date): Promise<void> => {
  if (deposits.length === 0) return
  await sql`update deposits d set gone_at = ${since}
    from unnest(${deposits.map((d) => d.merchantId)}::uuid[], ${deposits.map((d) => d.id)}::uuid[]) u(m, i)
    where d.merchant_id = u.m and d.id = u.i and d.block_height is null`.execute(tx)
}

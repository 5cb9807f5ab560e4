import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Tx } from '../db/index.ts'

/** A deposit that waits for its transaction to be mined, or mined again. */
export interface Unmined {
  merchantId: string
  id: string
  transaction: string
  index: string
  keys: string[]
  gone: boolean
}

/** Deposits of a network that are in no block of the best chain and may still come. Few, whatever the table holds. */
export const unminedOf = async (tx: Tx, network: Network): Promise<Unmined[]> => {
  const { rows } = await sql<Unmined>`
    select merchant_id as "merchantId", id, transaction, index, keys, gone_at is not null as gone from deposits
    where network = ${network} and block_height is null and state in ('pending', 'orphaned')`.execute(tx)
  return rows
}

/** Notes which transaction used up what deposits need, in the block at `height`. */
export const setConflicts = async (
  tx: Tx,
  conflicts: readonly { deposit: Unmined; transaction: string }[],
  height: number,
): Promise<void> => {
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

import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { AccountKind } from './accounts.ts'

export interface Balance {
  merchantId: string
  asset: string
  /** units the account holds, on its normal side for credit accounts (credit positive) */
  posted: bigint
  held: bigint
}

/**
 * Balances of one kind of account for many (merchant, asset) pairs in one query, in the order asked; an account that
 * was never used is zero.
 */
export const balancesOf = async (
  db: Db | Tx,
  kind: AccountKind,
  pairs: readonly { merchantId: string; asset: string }[],
): Promise<Balance[]> => {
  if (pairs.length === 0) return []
  const { rows } = await sql<Balance>`
    select u.m as "merchantId", u.a as asset, coalesce(l.posted, 0) as posted, coalesce(l.held, 0) as held
    from unnest(${pairs.map((p) => p.merchantId)}::uuid[], ${pairs.map((p) => p.asset)}::text[]) with ordinality u(m, a, n)
    left join ledger_accounts l on l.merchant_id = u.m and l.asset = u.a and l.kind = ${kind}
    order by u.n`.execute(db)
  return rows
}

/** What an asset's accounts of one kind add up to over all owners, credit positive. */
export const totalOf = async (db: Db | Tx, asset: string, kind: AccountKind): Promise<bigint> => {
  const { rows } = await sql<{ total: bigint }>`
    select coalesce(sum(posted), 0) as total from ledger_accounts where asset = ${asset} and kind = ${kind}`.execute(db)
  return rows[0]!.total
}

/** A merchant's accounts in one asset. */
interface Owned {
  merchantId: string
  asset: string
}

/** Locks accounts that exist, in id order as the ledger does: two transactions that want the same ones wait in line. */
export const lockAccounts = async <Kind extends AccountKind>(
  tx: Tx,
  pairs: readonly Owned[],
  kinds: readonly Kind[],
): Promise<(Owned & { kind: Kind; posted: bigint; held: bigint })[]> => {
  const { rows } = await sql<Owned & { kind: Kind; posted: bigint; held: bigint }>`
    select l.merchant_id as "merchantId", l.asset, l.kind, l.posted, l.held
    from unnest(${pairs.map((p) => p.merchantId)}::uuid[], ${pairs.map((p) => p.asset)}::text[]) u(m, a)
    join ledger_accounts l on l.merchant_id = u.m and l.asset = u.a and l.kind = any(${[...kinds]}::text[])
    order by l.id for no key update of l`.execute(tx)
  return rows
}

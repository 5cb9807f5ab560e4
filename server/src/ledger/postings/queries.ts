import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { AccountKey, AccountKind } from './accounts.ts'

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

/**
 * SQL: how often the balances of a merchant have changed, holds included; null if never.
 * @param merchant SQL of the merchant's id
 */
export const changesOfBalances = (merchant: RawBuilder<string>): RawBuilder<bigint | null> =>
  sql`(select sum(version) from ledger_accounts where merchant_id = ${merchant} and kind = 'merchant')`

/** Sums an asset's accounts of one kind over all owners, credit positive. */
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

/** Locks existing accounts in id order, as the ledger does, so that transactions cannot deadlock. */
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

/** Returns the available units of an account, neither held nor owed, credit positive; 0 for one that was never used. */
export const availableOf = async (db: Db | Tx, { merchantId, asset, kind }: AccountKey): Promise<bigint> => {
  const { rows } = await sql<{ units: bigint }>`select posted - held as units from ledger_accounts
    where merchant_id = ${merchantId} and asset = ${asset} and kind = ${kind}`.execute(db)
  return rows[0]?.units ?? 0n
}

/** Returns the fees of an asset by merchant, the largest first; only those of one merchant if it is given. */
export const feesOf = async (
  db: Db | Tx,
  asset: string,
  merchantId: string | null,
): Promise<{ merchantId: string; units: bigint }[]> => {
  const { rows } = await sql<{
    merchantId: string
    units: bigint
  }>`select merchant_id as "merchantId", posted as units from ledger_accounts
    where asset = ${asset} and kind = 'fees' and posted > 0 and (${merchantId}::uuid is null or merchant_id = ${merchantId}::uuid)
    order by posted desc, merchant_id`.execute(db)
  return rows
}

/** Returns every account that these merchants may spend from: a payment may be paid from another asset. */
export const spendableAccounts = async (
  db: Db,
  merchantIds: readonly string[],
): Promise<{ merchantId: string; id: number }[]> => {
  const { rows } = await sql<{
    merchantId: string
    id: number
  }>`select merchant_id as "merchantId", id from ledger_accounts
    where merchant_id = any(${[...new Set(merchantIds)]}::uuid[]) and kind = 'merchant' order by id`.execute(db)
  return rows
}

/** Sums an asset's accounts of these kinds over all owners, credit positive. */
export const totalOfKinds = async (db: Db | Tx, asset: string, kinds: readonly AccountKind[]): Promise<bigint> => {
  const { rows } = await sql<{ units: bigint }>`select coalesce(sum(posted), 0) as units from ledger_accounts
    where asset = ${asset} and kind = any(${[...kinds]}::text[])`.execute(db)
  return rows[0]!.units
}

/** Sums the accounts of one kind over all owners, by asset, credit positive. */
export const totalsOf = async (db: Db | Tx, kind: AccountKind): Promise<Map<string, bigint>> => {
  const { rows } = await sql<{
    asset: string
    units: bigint
  }>`select asset, sum(posted) as units from ledger_accounts where kind = ${kind} group by asset`.execute(db)
  return new Map(rows.map(({ asset, units }) => [asset, units]))
}

/** An account of a merchant as it is at one moment, in ledger units, credit positive. */
export interface LedgerAccount {
  asset: string
  kind: AccountKind
  posted: bigint
  held: bigint
  /** of its newest entry */
  version: number
}

/** The accounts of a merchant of these kinds at one moment, by asset. */
export const accountsOf = async (
  db: Db,
  merchantId: string,
  kinds: readonly AccountKind[],
): Promise<LedgerAccount[]> => {
  const { rows } = await sql<LedgerAccount>`select asset, kind, posted, held, version from ledger_accounts
    where merchant_id = ${merchantId} and kind = any(${[...kinds]}::text[]) order by asset, kind`.execute(db)
  return rows
}

/** Returns the object that a merchant placed under a localId, and the API operation that placed it. */
export const placedUnder = async (
  db: Db,
  merchantId: string,
  localId: string,
): Promise<{ operation: string; objectId: string } | undefined> => {
  const { rows } = await sql<{
    operation: string
    objectId: string
  }>`select operation, object_id as "objectId" from local_ids
    where merchant_id = ${merchantId} and local_id = ${localId}`.execute(db)
  return rows[0]
}

import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Balances } from './tree.ts'

/** A report as stored. */
export interface Report {
  id: string
  statement: string
  secret: Buffer
  /** hex */
  commitment: string
  publicKey: string | null
  signature: string | null
}

const OWNERS = sql.raw(
  `(select id from merchants union select merchant_id from ledger_accounts where kind = 'merchant')`,
)

/**
 * Returns every merchant's balances, including held amounts, in the order of the assets; also of merchants without a
 * balance.
 */
export const readBalances = async (tx: Tx, assets: readonly string[]): Promise<Balances[]> => {
  const { rows } = await sql<Balances>`select m.id as "merchantId", array(
      select coalesce(a.posted, 0) from unnest(${[...assets]}::text[]) with ordinality u(asset, n)
      left join ledger_accounts a on a.merchant_id = m.id and a.asset = u.asset and a.kind = 'merchant' order by u.n) as units
    from ${OWNERS} m order by m.id`.execute(tx)
  return rows
}

/** Sums the ledger's accounts by asset and kind, credit positive; accounts of a kind on all networks together. */
export const readSums = async (tx: Tx): Promise<Map<string, bigint>> => {
  const { rows } = await sql<{ asset: string; kind: string; units: bigint }>`
    select asset, split_part(kind, ':', 1) as kind, sum(posted) as units from ledger_accounts group by 1, 2`.execute(tx)
  return new Map(rows.map(({ asset, kind, units }) => [`${asset}/${kind}`, units]))
}

/**
 * Returns balances at acquirers and banks by asset, with accounts named by their kind in the ledger. Assets are
 * positive, because the accounts are debit-normal.
 */
export const readAccounts = async (tx: Tx): Promise<Map<string, { name: string; units: string }[]>> => {
  const { rows } = await sql<{ asset: string; name: string; units: bigint }>`
    select asset, kind as name, -sum(posted) as units from ledger_accounts
    where kind like 'acquirer:%' or kind like 'settlement:%' or kind like 'venue:%' or kind = 'bank'
    group by asset, kind having sum(posted) <> 0 order by asset, kind`.execute(tx)
  const accounts = new Map<string, { name: string; units: string }[]>()
  for (const { asset, name, units } of rows)
    accounts.set(asset, [...(accounts.get(asset) ?? []), { name, units: String(units) }])
  return accounts
}

/** Returns assets of which any merchant has a balance. */
export const readOwedAssets = async (tx: Tx): Promise<string[]> => {
  const { rows } = await sql<{ asset: string }>`
    select distinct asset from ledger_accounts where kind = 'merchant' and posted <> 0 order by asset`.execute(tx)
  return rows.map(({ asset }) => asset)
}

export const insertReport = async (
  tx: Tx,
  report: Report,
  takenAt: Date,
  balances: readonly Balances[],
): Promise<void> => {
  await sql`insert into reserve_reports(id, taken_at, statement, secret, commitment, public_key, signature)
    values (${report.id}, ${takenAt}, ${report.statement}, ${report.secret}, ${report.commitment}, ${report.publicKey}, ${report.signature})`.execute(
    tx,
  )
  await sql`insert into reserve_leaves(merchant_id, report_id, units)
    select m, ${report.id}, u::numeric[] from unnest(${balances.map(({ merchantId }) => merchantId)}::uuid[],
      ${balances.map(({ units }) => `{${units.join(',')}}`)}::text[]) x(m, u)`.execute(tx)
}

/** A report by its id, or the newest. */
export const readReport = async (db: Db, id: string | null): Promise<Report | undefined> => {
  const { rows } = await sql<Report>`select id, statement, secret, commitment, public_key as "publicKey", signature
    from reserve_reports where ${id}::uuid is null or id = ${id}::uuid order by taken_at desc, id desc limit 1`.execute(
    db,
  )
  return rows[0]
}

export const readLeaves = async (db: Db, reportId: string): Promise<Balances[]> => {
  const { rows } =
    await sql<Balances>`select merchant_id as "merchantId", units from reserve_leaves where report_id = ${reportId}`.execute(
      db,
    )
  return rows
}

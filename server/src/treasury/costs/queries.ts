import { paidBy } from '../../chain/transactions/index.ts'
import type { Network } from '@bursar/chainkit'
import { NATIVE_TICKER } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { rescale } from '../../platform/money/index.ts'

/** Days are UTC, `YYYY-MM-DD`, both included. Null means no restriction. */
export interface CostFilter {
  from: string | null
  to: string | null
  merchantId: string | null
  network: string | null
  asset: string | null
}

export interface CostLine {
  merchantId: string
  network: string
  asset: string
  operation: string
  /** ledger units */
  units: bigint
  postings: number
}

/** Returns counted costs by merchant, network, asset and operation, in that order. */
export const listCosts = async (db: Db, { from, to, merchantId, network, asset }: CostFilter): Promise<CostLine[]> => {
  const { rows } = await sql<CostLine>`
    select merchant_id as "merchantId", network, asset, operation, sum(units) as units, sum(postings)::bigint as postings
    from network_costs
    where (${from}::date is null or day >= ${from}::date) and (${to}::date is null or day <= ${to}::date)
      and (${merchantId}::uuid is null or merchant_id = ${merchantId}::uuid)
      and (${network}::text is null or network = ${network}) and (${asset}::text is null or asset = ${asset})
    group by merchant_id, network, asset, operation order by merchant_id, network, asset, operation`.execute(db)
  return rows
}

/** Returns all costs by network, asset and operation; not by merchant, which are too many for metric labels. */
export const costTotals = async (db: Db): Promise<Omit<CostLine, 'merchantId' | 'postings'>[]> => {
  const { rows } = await sql<Omit<CostLine, 'merchantId' | 'postings'>>`select network, asset, operation, units
    from network_cost_totals order by network, asset, operation`.execute(db)
  return rows
}

/** Returns the fees that a network took in an asset since a day, `YYYY-MM-DD` in UTC, in ledger units. */
export const spentSince = async (db: Db, network: Network, asset: string, day: string): Promise<bigint> => {
  const { rows } = await sql<{ spent: bigint }>`select coalesce(sum(units), 0) as spent from network_costs
    where network = ${network} and asset = ${asset} and day >= ${day}::date`.execute(db)
  return rows[0]!.spent
}

interface CostShare {
  merchantId: string
  /** the object of the posting, for example a withdrawal */
  cause: { kind: string; id: string }
  /** ledger units of the native coin */
  units: bigint
}

/** A transaction of ours and the parties that bear its cost. */
export interface SharedCost {
  network: Network
  hash: string
  asset: string
  /** ledger units; null while it is in no block */
  paid: bigint | null
  /** add up to the paid fee */
  shares: CostShare[]
}

/** Returns the shares of one of our transactions' fee, as posted; undefined when the transaction is not ours. */
export const sharesOf = async (db: Db, catalogue: Catalogue, hash: string): Promise<SharedCost | undefined> => {
  const outgoing = await paidBy(db, hash)
  if (!outgoing) return undefined
  const asset = catalogue.findCrypto(NATIVE_TICKER[outgoing.network])!
  const shares = await sql<{ merchantId: string; kind: string; id: string; units: bigint }>`
    with causes as (
      select ${outgoing.id}::uuid as id union select id from withdrawals where outgoing_id = ${outgoing.id})
    select t.merchant_id as "merchantId", t.cause_kind as kind, t.cause_id as id, -sum(e.posted) as units
    from causes c join ledger_transfers t on t.cause_id = c.id
    join ledger_entries e on e.transfer_id = t.id
    join ledger_accounts a on a.id = e.account_id and a.kind = 'network-costs' and a.asset = ${asset.ticker}
    group by 1, 2, 3 having sum(e.posted) <> 0 order by 1, 3`.execute(db)
  return {
    network: outgoing.network,
    hash,
    asset: asset.ticker,
    paid:
      outgoing.paid === null
        ? null
        : rescale(outgoing.paid, asset.networks.get(outgoing.network)!.decimals, asset.scale),
    shares: shares.rows.map(({ merchantId, kind, id, units }) => ({ merchantId, cause: { kind, id }, units })),
  }
}

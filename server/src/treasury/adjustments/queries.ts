import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { totalSuspended } from '../../ledger/address-balances/index.ts'
import { totalOfKinds } from '../../ledger/postings/index.ts'

/**
 * Returns the platform's equity in an asset: capital and fees less losses and costs, without its trading position. No
 * more can be taken out, regardless of earlier contributions and earnings.
 */
export const equityOf = (db: Db | Tx, asset: string): Promise<bigint> =>
  totalOfKinds(db, asset, ['capital', 'fees', 'losses', 'network-costs', 'acquirer-costs', 'venue-costs'])

/**
 * Returns the part of suspense that is assigned already: for a merchant, suspended card payments; for the platform,
 * unexplained balances of addresses.
 */
export const spokenForOf = async (db: Db | Tx, asset: string, merchantId: string | null): Promise<bigint> => {
  if (merchantId === null) return totalSuspended(db, asset)
  const { rows } = await sql<{
    units: bigint
  }>`select coalesce(sum(paid_units - refunded_units), 0) as units from payments
    where merchant_id = ${merchantId} and paid_ticker = ${asset} and state = 'suspended'`.execute(db)
  return rows[0]!.units
}

export interface RejectedDeposit {
  asset: string
  units: bigint
  state: string
  isFinal: boolean
  /** the adjustment that has moved its money already */
  adjustmentId: string | null
}

export const findDeposit = async (
  db: Db | Tx,
  merchantId: string,
  id: string,
): Promise<RejectedDeposit | undefined> => {
  const { rows } =
    await sql<RejectedDeposit>`select d.asset, d.units, d.state, coalesce(d.internal or d.block_height <= c.final_height, false) as "isFinal",
      (select a.id from adjustments a join adjustment_signatures s on s.adjustment_id = a.id where a.deposit_id = d.id) as "adjustmentId"
    from deposits d left join watch_cursors c on c.network = d.network where d.merchant_id = ${merchantId} and d.id = ${id}`.execute(
      db,
    )
  return rows[0]
}

/**
 * Whether a withdrawal returns rejected money to an address it came from: two people have signed that its merchant gets
 * the money, and the merchant has sent there no more than they signed for.
 */
export const isSignedReturn = async (
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<boolean> => {
  const { rows } = await sql`select 1 from withdrawals w where w.merchant_id = ${merchantId} and w.id = ${id}
    and (select coalesce(sum(a.units), 0) from adjustments a join adjustment_signatures s on s.adjustment_id = a.id join deposits d on d.id = a.deposit_id
      where a.to_account = 'merchant:' || w.merchant_id and a.asset = w.ticker and d.network = w.blockchain
        and exists (select from unnest(d.senders) x(sender) where lower(x.sender) = lower(w.to_address)))
      >= (select sum(o.units) from withdrawals o where o.merchant_id = w.merchant_id and o.ticker = w.ticker and o.blockchain = w.blockchain
        and o.to_address = w.to_address and o.state <> 'failed')`.execute(tx)
  return rows.length === 1
}

/** Returns applied adjustments with wrong postings: `posted` were credited to their account instead of `units`. */
export const unposted = async (db: Db): Promise<{ id: string; posted: bigint; units: bigint }[]> => {
  const { rows } = await sql<{ id: string; posted: bigint; units: bigint }>`select a.id, a.units, p.posted
    from adjustments a join adjustment_signatures s on s.adjustment_id = a.id
    cross join lateral (select coalesce(sum(e.posted), 0) as posted from ledger_transfers t join ledger_entries e on e.transfer_id = t.id
      join ledger_accounts k on k.id = e.account_id where t.cause_kind = 'adjustment' and t.cause_id = a.id and k.asset = a.asset and k.kind <> 'clearing' and e.posted > 0) p
    where p.posted <> a.units`.execute(db)
  return rows
}

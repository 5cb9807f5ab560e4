import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** The platform's holdings of one asset for trading; ledger units, E18 for prices. */
export interface AssetPosition {
  asset: string
  /** the amount that can be sold now: the sum of the ledger's position accounts */
  position: bigint
  /** the inventory, with the amount that orders on a venue have reserved; always equal to the position */
  inventory: bigint
  /** the operator's capital outside the position */
  capital: bigint
  /** given to merchants, and received from them, since the beginning */
  sold: bigint
  bought: bigint
  /** income of filled exchanges */
  fees: bigint
}

/** Returns every asset that is or was traded. */
export const positionsOf = async (db: Db): Promise<AssetPosition[]> => {
  const { rows } = await sql<AssetPosition>`
    with kinds as (select asset, coalesce(sum(posted) filter (where kind = 'position'), 0) as position,
        coalesce(sum(posted) filter (where kind = 'capital'), 0) as capital, bool_or(kind = 'position') as traded
      from ledger_accounts where kind in ('position', 'capital') group by asset),
    held as (select asset, sum(units + reserved) as units from exchange_inventory group by asset),
    sold as (select target_ticker as asset, sum(target_units) as units from exchanges where state = 'done' group by 1),
    bought as (select spend_ticker as asset, sum(exchange_units) as units, sum(fee_units) as fees from exchanges where state = 'done' group by 1)
    select k.asset, k.position, k.capital, coalesce(h.units, 0) as inventory, coalesce(s.units, 0) as sold,
      coalesce(b.units, 0) as bought, coalesce(b.fees, 0) as fees
    from kinds k left join held h using (asset) left join sold s using (asset) left join bought b using (asset)
    where k.traded or h.units <> 0 order by k.asset`.execute(db)
  return rows
}

/** Earnings from the spread in one asset that merchants received. */
export interface SpreadIncome {
  asset: string
  /**
   * ledger units of `asset`: the amount that merchants would have received without the spread, less the received one
   */
  units: bigint
}

export const spreadIncomeOf = async (db: Db): Promise<SpreadIncome[]> => {
  // When the first asset is sold, the amount received is proportional to the price; when it is bought, inversely.
  const { rows } = await sql<SpreadIncome>`select target_ticker as asset, sum(case when pair_first = spend_ticker
      then div(target_units * market_price, price) - target_units
      else div(target_units * price, market_price) - target_units end) as units
    from exchanges where state = 'done' group by 1 order by 1`.execute(db)
  return rows
}

/** Returns assets whose inventory differs from the ledger: none, unless the tables were changed by hand. */
export const auditPositions = async (db: Db): Promise<{ asset: string; position: bigint; inventory: bigint }[]> =>
  (await positionsOf(db)).filter(({ position, inventory }) => position !== inventory)

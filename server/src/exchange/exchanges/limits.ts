import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { levelInventory } from './inventory.ts'

/**
 * How far exchanges may move the position of an asset from the operator's capital, in ledger units. Null: as in the
 * settings.
 */
export interface PositionLimits {
  long: bigint | null
  short: bigint | null
}

/** Sets both limits of an asset, which override the settings. */
export const setPositionLimits = async (tx: Tx, asset: string, { long, short }: PositionLimits): Promise<void> => {
  await sql`insert into position_limits(asset, long_limit, short_limit) values (${asset}, ${long}, ${short})
    on conflict (asset) do update set long_limit = excluded.long_limit, short_limit = excluded.short_limit`.execute(tx)
  await levelInventory(tx, asset)
}

export const addFunded = async (tx: Tx, asset: string, units: bigint): Promise<void> => {
  await sql`insert into position_limits(asset, funded) values (${asset}, ${units})
    on conflict (asset) do update set funded = position_limits.funded + excluded.funded`.execute(tx)
}

/**
 * The effect of exchanges on the position of one asset; ledger units, values in 1e-18 USDT at the middles of the
 * markets.
 */
export interface Exposure {
  asset: string
  /** the position: the inventory for sale, and the amount that orders on a venue have reserved */
  units: bigint
  reserved: bigint
  /** the operator's capital in the position; the rest came from exchanges and hedges */
  funded: bigint
  /** the position less the operator's capital: above 0, the platform has bought more than it has sold */
  exposure: bigint
  boughtUnits: bigint
  boughtValue: bigint
  soldUnits: bigint
  soldValue: bigint
  /**
   * the value that merchants gave less the value that they received, both at the mid price: the earnings from the
   * spread and from the worse prices of larger amounts
   */
  margin: bigint
  /** as set by an operator; null: as in the settings */
  long: bigint | null
  short: bigint | null
}

/**
 * Returns the exposure of every asset that is or was traded. Reads sixteen rows per asset, however many exchanges there
 * were.
 */
export const exposuresOf = async (db: Db | Tx): Promise<Exposure[]> => {
  const { rows } =
    await sql<Exposure>`select i.asset, sum(i.units) as units, sum(i.reserved) as reserved, coalesce(max(l.funded), 0) as funded,
      sum(i.units) + sum(i.reserved) - coalesce(max(l.funded), 0) as exposure,
      sum(i.bought_units) as "boughtUnits", sum(i.bought_value) as "boughtValue", sum(i.sold_units) as "soldUnits", sum(i.sold_value) as "soldValue",
      sum(i.margin) as margin, max(l.long_limit) as long, max(l.short_limit) as short
    from exchange_inventory i left join position_limits l using (asset) group by i.asset order by i.asset`.execute(db)
  return rows
}

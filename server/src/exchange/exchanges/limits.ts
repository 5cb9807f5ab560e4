import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { levelInventory } from './inventory.ts'

/**
 * How far from what the owner put in exchanges may take the position of an asset; ledger units. Null: as the settings
 * say.
 */
export interface PositionLimits {
  long: bigint | null
  short: bigint | null
}

/** Sets both limits of an asset, over those of the settings. */
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
 * What exchanges have done to the position of one asset; ledger units, values in 1e-18 USDT at the middles of their
 * markets.
 */
export interface Exposure {
  asset: string
  /** for sale, and spoken for by orders on a venue: both are the position */
  units: bigint
  reserved: bigint
  /** what of the position the owner has put in: the rest came by exchanges and hedges */
  funded: bigint
  /** the position less what is the owner's: above 0 the platform has bought more than it has sold */
  exposure: bigint
  boughtUnits: bigint
  boughtValue: bigint
  soldUnits: bigint
  soldValue: bigint
  /**
   * what merchants gave less what they got, both at the middle: what the spread, and the worse prices of larger
   * amounts, have earned
   */
  margin: bigint
  /** as an operator has set them; null: as the settings say */
  long: bigint | null
  short: bigint | null
}

/** Every asset that is or was traded with. Reads sixteen rows an asset, however much was exchanged. */
export const exposuresOf = async (db: Db | Tx): Promise<Exposure[]> => {
  const { rows } =
    await sql<Exposure>`select i.asset, sum(i.units) as units, sum(i.reserved) as reserved, coalesce(max(l.funded), 0) as funded,
      sum(i.units) + sum(i.reserved) - coalesce(max(l.funded), 0) as exposure,
      sum(i.bought_units) as "boughtUnits", sum(i.bought_value) as "boughtValue", sum(i.sold_units) as "soldUnits", sum(i.sold_value) as "soldValue",
      sum(i.margin) as margin, max(l.long_limit) as long, max(l.short_limit) as short
    from exchange_inventory i left join position_limits l using (asset) group by i.asset order by i.asset`.execute(db)
  return rows
}

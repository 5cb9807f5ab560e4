import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { AssetRules } from './policy.ts'
import type { Flows } from './profit.ts'

/** The number of rows that an asset's inventory is divided into. Each exchange uses one that is not locked. */
const CHUNKS = 16

/**
 * Bounds of the position of an asset; null: none. `most` bounds all that the platform holds, the others bound the part
 * that is not the owner's.
 */
type Bounds = Pick<AssetRules, 'most' | 'long' | 'short'>

/** The change of the platform's holdings by an exchange: positive `units` come in, negative go out. */
export interface InventoryMove {
  asset: string
  units: bigint
  /** null: limited by the inventory only */
  bounds: Bounds | null
  /** absent when it is not a trade */
  traded?: Traded
}

/** Amounts that exchanges bring in and give out, in ledger units, and their value in 1e-18 USDT at the middle price. */
export interface Traded extends Flows {
  /** the margin earned */
  margin: bigint
}

/**
 * Moves inventory in the transaction of its exchange, exactly: concurrent exchanges never give out more than the
 * inventory or pass a bound. Assets are locked in one order, so that exchanges can't deadlock.
 * @returns the asset of which there is too little, or would be too much; the caller then rolls back
 */
export const moveInventory = async (tx: Tx, moves: readonly InventoryMove[]): Promise<InventoryMove | undefined> => {
  for (const move of moves.toSorted((a, b) => (a.asset < b.asset ? -1 : 1))) {
    // An unbounded move in one chunk could exceed the chunk's share, and others would then be filled beyond the bounds
    // of all.
    const moved = (move.bounds !== null && (await moveInFreeChunk(tx, move))) || (await moveInAll(tx, move))
    if (!moved) return move
  }
  return undefined
}

/** Returns the least and the most allowed position: the owner's capital, less and plus the limits. */
const limitsOf = (asset: string, bounds: Bounds | null) => {
  const { most = null, long = null, short = null } = bounds ?? {}
  return sql`select case when ${bounds === null} then null
      else least(${most}::numeric, coalesce(max(funded), 0) + coalesce(max(long_limit), ${long}::numeric)) end as high,
    case when ${bounds === null} then null else coalesce(max(funded), 0) - coalesce(max(short_limit), ${short}::numeric) end as low
    from position_limits where asset = ${asset}`
}

const countersOf = ({ traded }: InventoryMove) =>
  traded
    ? sql`, bought_units = bought_units + ${traded.boughtUnits}::numeric, sold_units = sold_units + ${traded.soldUnits}::numeric,
        bought_value = bought_value + ${traded.boughtValue}::numeric, sold_value = sold_value + ${traded.soldValue}::numeric,
        margin = margin + ${traded.margin}::numeric`
    : sql``

/** The usual case: uses one unlocked chunk that can carry the whole move and stays within its share of the bounds. */
const moveInFreeChunk = async (tx: Tx, move: InventoryMove): Promise<boolean> => {
  const { asset, units, bounds } = move
  const { rows } = await sql`update exchange_inventory set units = units + ${units}::numeric ${countersOf(move)}
    where asset = ${asset} and chunk = (select c.chunk from exchange_inventory c, (${limitsOf(asset, bounds)}) b
      where c.asset = ${asset} and c.units + ${units}::numeric >= 0
        and (${units}::numeric < 0 or b.high is null or (c.units + c.reserved + ${units}::numeric) * ${CHUNKS} <= b.high)
        and (${units}::numeric > 0 or b.low is null or (c.units + c.reserved + ${units}::numeric) * ${CHUNKS} >= b.low)
      order by random() limit 1 for update of c skip locked)
    returning 1`.execute(tx)
  return rows.length === 1
}

/** The fallback: waits for every chunk, and divides the rest evenly among all. */
const moveInAll = async (tx: Tx, move: InventoryMove): Promise<boolean> => {
  const { asset, units } = move
  const held = await lockAll(tx, asset)
  const { high, low } = await readLimits(tx, asset, move.bounds)
  const free = held.units + units
  const position = free + held.reserved
  if (free < 0n || (units > 0n && high !== null && position > high) || (units < 0n && low !== null && position < low))
    return false
  await spread(tx, asset, { units: free, reserved: held.reserved })
  await sql`update exchange_inventory set units = units ${countersOf(move)} where asset = ${asset} and chunk = 0`.execute(
    tx,
  )
  return true
}

/** Locks all of an asset's inventory until the transaction ends, and returns it. */
const lockAll = async (tx: Tx, asset: string): Promise<{ units: bigint; reserved: bigint }> => {
  await sql`insert into exchange_inventory(asset, chunk, units) select ${asset}, c, 0 from generate_series(0, ${CHUNKS - 1}) c
    on conflict do nothing`.execute(tx)
  const { rows } = await sql<{
    units: bigint
    reserved: bigint
  }>`select units, reserved from exchange_inventory where asset = ${asset}
    order by chunk for update`.execute(tx)
  return {
    units: rows.reduce((sum, row) => sum + row.units, 0n),
    reserved: rows.reduce((sum, row) => sum + row.reserved, 0n),
  }
}

const readLimits = async (
  tx: Tx,
  asset: string,
  bounds: Bounds | null,
): Promise<{ high: bigint | null; low: bigint | null }> => {
  const { rows } = await sql<{ high: bigint | null; low: bigint | null }>`${limitsOf(asset, bounds)}`.execute(tx)
  return rows[0]!
}

/** Divides inventory evenly, to a unit, so that no chunk prevents another from using its share of a bound. */
const spread = async (tx: Tx, asset: string, held: { units: bigint; reserved: bigint }): Promise<void> => {
  const share = (of: bigint) =>
    sql`div(${of}::numeric, ${CHUNKS}) + case when chunk < mod(${of}::numeric, ${CHUNKS}) then 1 else 0 end`
  // The units that don't divide begin where those of the position end, so that no chunk has two too many.
  const reserved = sql`div(${held.units + held.reserved}::numeric, ${CHUNKS}) + case when chunk < mod(${held.units + held.reserved}::numeric, ${CHUNKS}) then 1 else 0 end - (${share(held.units)})`
  await sql`update exchange_inventory set units = ${share(held.units)}, reserved = ${reserved} where asset = ${asset}`.execute(
    tx,
  )
}

/** Divides an asset's inventory again, after its bounds changed. */
export const levelInventory = async (tx: Tx, asset: string): Promise<void> =>
  spread(tx, asset, await lockAll(tx, asset))

/** Reserves inventory for an order on a venue, so that merchants can't buy it. False when there is too little. */
export const reserveInventory = async (tx: Tx, asset: string, units: bigint): Promise<boolean> => {
  const held = await lockAll(tx, asset)
  if (held.units < units) return false
  await spread(tx, asset, { units: held.units - units, reserved: held.reserved + units })
  return true
}

/**
 * Ends a reservation, or a part of it: `spent` has left the position, `released` can be sold again. The spent amount
 * beyond the reservation is taken from the inventory. @throws Error when there is less than that
 */
export const endReservation = async (
  tx: Tx,
  asset: string,
  { spent, released, beyond }: { spent: bigint; released: bigint; beyond: bigint },
): Promise<void> => {
  const held = await lockAll(tx, asset)
  const left = { units: held.units + released - beyond, reserved: held.reserved - spent - released }
  if (left.units < 0n || left.reserved < 0n)
    throw new Error(`an order spent more ${asset} than there is in the position`)
  await spread(tx, asset, left)
}

/** Returns how much of an asset can be sold now, in ledger units. */
export const inventoryOf = async (tx: Tx, asset: string): Promise<bigint> => {
  const { rows } = await sql<{
    units: bigint
  }>`select coalesce(sum(units), 0) as units from exchange_inventory where asset = ${asset}`.execute(tx)
  return rows[0]!.units
}

/** A move of an asset's position, with its bounds. */
export type BoundedMove = Pick<InventoryMove, 'asset' | 'units'> & { bounds: Bounds }

/** Returns the moves that would pass a bound, each considered alone. */
export const boundsPassedBy = async <Move extends BoundedMove>(
  db: Db | Tx,
  moves: readonly Move[],
): Promise<Move[]> => {
  const column = (of: (move: Move) => bigint | null) =>
    sql`${moves.map((move) => of(move)?.toString() ?? null)}::numeric[]`
  const assets = sql`${moves.map(({ asset }) => asset)}::text[]`
  const { rows } = await sql<{ n: number }>`with positions as (
      select asset, sum(units + reserved) as units from exchange_inventory where asset = any(${assets}) group by asset)
    select m.n
    from unnest(${assets}, ${column(({ units }) => units)}, ${column(({ bounds }) => bounds.most)},
      ${column(({ bounds }) => bounds.long)}, ${column(({ bounds }) => bounds.short)}) with ordinality m(asset, units, most, long, short, n)
    left join positions p on p.asset = m.asset
    left join position_limits l on l.asset = m.asset
    where case when m.units > 0 then coalesce(p.units, 0) + m.units > least(m.most, coalesce(l.funded, 0) + coalesce(l.long_limit, m.long))
      else coalesce(p.units, 0) + m.units < coalesce(l.funded, 0) - coalesce(l.short_limit, m.short) end order by m.n`.execute(
    db,
  )
  return rows.map(({ n }) => moves[n - 1]!)
}

import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { AssetRules } from './policy.ts'
import type { Flows } from './profit.ts'

/** Rows that an asset's inventory is spread over. Each exchange takes one that is not locked. */
const CHUNKS = 16

/**
 * How far the position of an asset may go; null: no bound. `most` is of all the platform holds, the others of what is
 * not the owner's.
 */
type Bounds = Pick<AssetRules, 'most' | 'long' | 'short'>

/** What an exchange moves of the platform's holdings: `units` above 0 come in, below 0 go out. */
export interface InventoryMove {
  asset: string
  units: bigint
  /** null: it goes as far as there is inventory */
  bounds: Bounds | null
  /** absent where none trades */
  traded?: Traded
}

/**
 * What exchanges bring in and give out, ledger units, and what that is worth, 1e-18 USDT at the middle of the market.
 */
export interface Traded extends Flows {
  /** what is earned by it */
  margin: bigint
}

/**
 * Moves inventory with the exchange that it belongs to, exactly: whatever many exchanges at once ask for, what is given
 * out is never more than there is, and no bound is passed. Assets are taken in one order, so that no two exchanges can
 * wait for each other.
 * @returns the asset there is too little of, or would be too much of; the caller then rolls back
 */
export const moveInventory = async (tx: Tx, moves: readonly InventoryMove[]): Promise<InventoryMove | undefined> => {
  for (const move of moves.toSorted((a, b) => (a.asset < b.asset ? -1 : 1))) {
    // In one chunk, what no bound holds would be more than its share, and the others would be filled beyond the bounds
    // of all.
    const moved = (move.bounds !== null && (await moveInFreeChunk(tx, move))) || (await moveInAll(tx, move))
    if (!moved) return move
  }
  return undefined
}

/** The least and the most that the position may be: what the owner put in, less and plus the limits. */
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

/** The usual way: one chunk that is not locked, that takes it whole, and that stays within its share of the bounds. */
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

/** The last resort: waits for every chunk, and spreads what is left evenly over all. */
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

/** What an asset has, no part of which moves until the transaction ends. */
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

/** Evenly, to a unit: then no chunk keeps another from its share of a bound. */
const spread = async (tx: Tx, asset: string, held: { units: bigint; reserved: bigint }): Promise<void> => {
  const share = (of: bigint) =>
    sql`div(${of}::numeric, ${CHUNKS}) + case when chunk < mod(${of}::numeric, ${CHUNKS}) then 1 else 0 end`
  // The units that don't divide begin where those of the position end, so that no chunk has two too many.
  const reserved = sql`div(${held.units + held.reserved}::numeric, ${CHUNKS}) + case when chunk < mod(${held.units + held.reserved}::numeric, ${CHUNKS}) then 1 else 0 end - (${share(held.units)})`
  await sql`update exchange_inventory set units = ${share(held.units)}, reserved = ${reserved} where asset = ${asset}`.execute(
    tx,
  )
}

/** Spreads an asset anew, after its bounds have moved. */
export const levelInventory = async (tx: Tx, asset: string): Promise<void> =>
  spread(tx, asset, await lockAll(tx, asset))

/** Takes what an order on a venue may spend out of what merchants can be sold. False when there is not that much. */
export const reserveInventory = async (tx: Tx, asset: string, units: bigint): Promise<boolean> => {
  const held = await lockAll(tx, asset)
  if (held.units < units) return false
  await spread(tx, asset, { units: held.units - units, reserved: held.reserved + units })
  return true
}

/**
 * Ends a reservation, or a part of it: `spent` left the position, `released` is for sale again. What was spent beyond
 * the reservation is taken from what is for sale. @throws Error when there is less than that
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

/** What can be sold of an asset now, ledger units. */
export const inventoryOf = async (tx: Tx, asset: string): Promise<bigint> => {
  const { rows } = await sql<{
    units: bigint
  }>`select coalesce(sum(units), 0) as units from exchange_inventory where asset = ${asset}`.execute(tx)
  return rows[0]!.units
}

/** What moves an asset's position within its bounds. */
export type BoundedMove = Pick<InventoryMove, 'asset' | 'units'> & { bounds: Bounds }

/** Those of the moves that would take a position past a bound, each for itself. */
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

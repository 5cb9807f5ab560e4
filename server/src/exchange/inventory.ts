import { sql } from 'kysely'
import type { Tx } from '../db/index.ts'

/** Rows that an asset's inventory is spread over. Each exchange takes one that nobody holds. */
const CHUNKS = 16

/** What an exchange moves of the house's holdings: `units` above 0 come in, below 0 go out. */
export interface InventoryMove {
  asset: string
  units: bigint
  /** the house doesn't come to hold more; null: no bound */
  most: bigint | null
}

/**
 * Moves inventory with the exchange that it belongs to, exactly: whatever many exchanges at once ask for, what is given out is
 * never more than there is. Assets are taken in one order, so that no two exchanges can wait for each other.
 * @returns the asset there is too little of, or would be too much of; the caller then rolls back
 */
export const moveInventory = async (tx: Tx, moves: readonly InventoryMove[]): Promise<InventoryMove | undefined> => {
  for (const move of moves.toSorted((a, b) => (a.asset < b.asset ? -1 : 1))) {
    if (!(await moveInFreeChunk(tx, move)) && !(await moveInAll(tx, move))) return move
  }
  return undefined
}

/** The usual way: one chunk that nobody holds and that takes it whole. */
const moveInFreeChunk = async (tx: Tx, { asset, units, most }: InventoryMove): Promise<boolean> => {
  const room = most === null ? null : most / BigInt(CHUNKS)
  const { rows } = await sql`update exchange_inventory set units = units + ${units}::numeric
    where asset = ${asset} and chunk = (select chunk from exchange_inventory
      where asset = ${asset} and units + ${units}::numeric >= 0
        and (${room}::numeric is null or ${units}::numeric < 0 or units + ${units}::numeric <= ${room}::numeric)
      order by random() limit 1 for update skip locked)
    returning 1`.execute(tx)
  return rows.length === 1
}

/** The last resort: waits for every chunk, and spreads what is left evenly over all. */
const moveInAll = async (tx: Tx, { asset, units, most }: InventoryMove): Promise<boolean> => {
  await sql`insert into exchange_inventory(asset, chunk, units) select ${asset}, c, 0 from generate_series(0, ${CHUNKS - 1}) c
    on conflict do nothing`.execute(tx)
  const { rows } = await sql<{ units: bigint }>`select units from exchange_inventory where asset = ${asset}
    order by chunk for update`.execute(tx)
  const total = rows.reduce((sum, row) => sum + row.units, units)
  if (total < 0n || (units > 0n && most !== null && total > most)) return false
  const [share, rest] = [total / BigInt(rows.length), total % BigInt(rows.length)]
  await sql`update exchange_inventory set units = ${share}::numeric + case when chunk = 0 then ${rest}::numeric else 0 end
    where asset = ${asset}`.execute(tx)
  return true
}

/** What can be sold of an asset now, ledger units. */
export const inventoryOf = async (tx: Tx, asset: string): Promise<bigint> => {
  const { rows } = await sql<{ units: bigint }>`select coalesce(sum(units), 0) as units from exchange_inventory where asset = ${asset}`.execute(tx)
  return rows[0]!.units
}

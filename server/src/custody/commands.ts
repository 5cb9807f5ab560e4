import { sql } from 'kysely'
import type { Tx } from '../db/index.ts'
import type { CustodyMove } from './move.ts'

/** Moves what addresses should hold, all in one statement, in one order everywhere so that none waits for another in a ring. */
export const moveCustody = async (tx: Tx, moves: readonly CustodyMove[]): Promise<void> => {
  const sums = sumsOf(moves)
  if (sums.length === 0) return
  await sql`insert into custody_addresses(network, asset, address, booked)
    select * from unnest(${sums.map((s) => s.network)}::text[], ${sums.map((s) => s.asset)}::text[],
      ${sums.map((s) => s.address)}::text[], ${sums.map((s) => s.units.toString())}::numeric[])
    on conflict (network, asset, address)
      do update set booked = custody_addresses.booked + excluded.booked, touched = true`.execute(tx)
}

/** One move for each address and asset; what comes and goes in one block is still a reason to look at the address. */
const sumsOf = (moves: readonly CustodyMove[]): CustodyMove[] => {
  const sums = new Map<string, CustodyMove>()
  for (const move of moves) {
    if (move.units === 0n) continue
    const key = `${move.network}/${move.asset}/${move.address}`
    sums.set(key, { ...move, units: (sums.get(key)?.units ?? 0n) + move.units })
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, move]) => move)
}

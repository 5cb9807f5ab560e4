import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'
import { onAccounts, type CustodyMove } from './move.ts'

/**
 * Applies changes to the recorded balances of addresses, in one statement and always in the same order of addresses, so
 * that transactions cannot deadlock.
 */
export const moveCustody = async (tx: Tx, moves: readonly CustodyMove[]): Promise<void> => {
  const sums = sumsOf(moves)
  if (sums.length === 0) return
  await sql`insert into custody_addresses(network, asset, address, booked)
    select * from unnest(${sums.map((s) => s.network)}::text[], ${sums.map((s) => s.asset)}::text[],
      ${sums.map((s) => s.address)}::text[], ${sums.map((s) => s.units.toString())}::numeric[])
    on conflict (network, asset, address)
      do update set booked = custody_addresses.booked + excluded.booked, touched = true`.execute(tx)
  await noteRecent(
    tx,
    onAccounts(moves).filter(({ height }) => height !== null),
  )
}

/** Stores each move of the newest blocks, so that a record can be computed as of the final block. */
const noteRecent = async (tx: Tx, moves: readonly CustodyMove[]): Promise<void> => {
  if (moves.length === 0) return
  await sql`insert into custody_recent(network, height, asset, address, units)
    select n, h, a, d, sum(u) from unnest(${moves.map((m) => m.network)}::text[], ${moves.map((m) => m.height)}::bigint[],
      ${moves.map((m) => m.asset)}::text[], ${moves.map((m) => m.address)}::text[], ${moves.map((m) => m.units.toString())}::numeric[]) x(n, h, a, d, u)
    group by n, h, a, d
    on conflict (network, height, asset, address) do update set units = custody_recent.units + excluded.units`.execute(
    tx,
  )
}

/** Deletes the stored moves of lost blocks, once they are taken back, and of blocks that have long been final. */
export const forgetRecent = async (
  tx: Tx,
  network: Network,
  blocks: { from: number } | { below: number },
): Promise<void> => {
  await ('from' in blocks
    ? sql`delete from custody_recent where network = ${network} and height >= ${blocks.from}`.execute(tx)
    : sql`delete from custody_recent where network = ${network} and height < ${blocks.below}`.execute(tx))
}

/** Sums moves by address and asset. A sum of zero stays: its address still has to be compared with the chain. */
const sumsOf = (moves: readonly CustodyMove[]): CustodyMove[] => {
  const sums = new Map<string, CustodyMove>()
  for (const move of moves) {
    if (move.units === 0n) continue
    const key = `${move.network}/${move.asset}/${move.address}`
    sums.set(key, { ...move, units: (sums.get(key)?.units ?? 0n) + move.units })
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, move]) => move)
}

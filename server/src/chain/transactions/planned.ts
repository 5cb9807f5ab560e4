import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/**
 * Returns how many transactions were ever planned from a hot address of an account chain. A planner reads it first,
 * then unmined transactions, then the chain's balance: so it sees by `isPlannedStill` whether another planner may have
 * counted on the same balance (decision 22).
 */
export const readPlanned = async (db: Db | Tx, network: Network, address: string): Promise<number> => {
  const known = (await readPlannedAmong(db, network, [address])).get(address)
  if (known !== undefined) return known
  // Only TRON's address gets here: on EVM chains the row begins with the chain's next nonce.
  if (network !== 'TRON') throw new Error(`${address} is not set up as a hot address on ${network}`)
  await sql`insert into hot_wallets(network, address, next_nonce) values (${network}, ${address}, 0) on conflict do nothing`.execute(
    db,
  )
  return readPlanned(db, network, address)
}

/** The same for several addresses, without those that are not set up yet. */
export const readPlannedAmong = async (
  db: Db | Tx,
  network: Network,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await sql<{
    address: string
    planned: number
  }>`select address, planned from hot_wallets where network = ${network} and address = any(${[...addresses]}::text[])`.execute(
    db,
  )
  return new Map(rows.map(({ address, planned }) => [address, planned]))
}

/**
 * Whether nothing was planned from a hot address since its count was read. Other planners of the address wait until
 * this transaction ends.
 */
export const isPlannedStill = async (tx: Tx, network: Network, address: string, planned: number): Promise<boolean> => {
  const { rows } = await sql`select from hot_wallets where network = ${network} and address = ${address}
    and planned = ${planned} for update`.execute(tx)
  return rows.length > 0
}

/** Makes other planners of a hot address wait until this transaction ends. */
export const lockPlanned = async (tx: Tx, network: Network, address: string): Promise<void> => {
  await readPlanned(tx, network, address)
  await sql`select from hot_wallets where network = ${network} and address = ${address} for update`.execute(tx)
}

/** Counts a transaction of these senders; does nothing if none of them is a hot address. */
export const countPlanned = async (tx: Tx, network: Network, senders: readonly string[]): Promise<void> => {
  if (network === 'BITCOIN') return
  await sql`update hot_wallets set planned = planned + 1 where network = ${network} and address = any(${[...senders]}::text[])`.execute(
    tx,
  )
}

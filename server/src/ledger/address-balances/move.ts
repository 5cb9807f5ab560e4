import type { Network } from '@bursar/chainkit'

/** A change of what one of our addresses holds, as a block of the best chain makes it. */
export interface CustodyMove {
  network: Network
  asset: string
  /** canonical */
  address: string
  /** ledger units; negative when it left */
  units: bigint
  /** the block that makes it; null for what a lost block takes back */
  height: number | null
}

/**
 * Moves by transfers and fees, for networks whose addresses are accounts. Where money is coins (Bitcoin) the coins that
 * blocks make and spend are the moves, as one payment spends coins of many addresses and returns some of them.
 */
export const onAccounts = (moves: readonly CustodyMove[]): CustodyMove[] =>
  moves.filter(({ network }) => network !== 'BITCOIN')

/** The moves that take these back when their block is lost. */
export const opposite = (moves: readonly CustodyMove[]): CustodyMove[] =>
  moves.map((move) => ({ ...move, units: -move.units, height: null }))

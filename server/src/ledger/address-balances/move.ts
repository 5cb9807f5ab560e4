import type { Network } from '@bursar/chainkit'

/** A change of the balance of one of our addresses, caused by a block of the best chain. */
export interface CustodyMove {
  network: Network
  asset: string
  /** canonical */
  address: string
  /** ledger units; negative when it left */
  units: bigint
  /** the block that causes it; null when it reverses a move of a lost block */
  height: number | null
}

/**
 * Returns these moves for networks whose addresses are accounts, and none for Bitcoin. There moves are derived from the
 * coins that blocks make and spend, because one payment spends coins of many addresses and returns part of them.
 */
export const onAccounts = (moves: readonly CustodyMove[]): CustodyMove[] =>
  moves.filter(({ network }) => network !== 'BITCOIN')

/** Returns the moves that reverse these when their block is lost. */
export const opposite = (moves: readonly CustodyMove[]): CustodyMove[] =>
  moves.map((move) => ({ ...move, units: -move.units, height: null }))

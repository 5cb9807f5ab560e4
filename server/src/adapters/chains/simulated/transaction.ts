import type { ChainTransaction } from '@bursar/chainkit'

export interface Movement {
  address: string
  /** null: the native coin */
  contract: string | null
  units: bigint
}

/** A debit of an address by a transaction; `outpoint` is the spent coin on a chain of coins. */
export interface Debit extends Movement {
  outpoint?: string
}

/** A transaction with the data needed to mine it, undo it, and compare it with a conflicting one. */
export interface SimulatedTransaction extends ChainTransaction {
  fee: bigint
  /** empty for payments from outside, whose coins come from nowhere */
  debits: Debit[]
  /** sender and nonce on a chain of accounts; null when the transaction has no nonce to wait for */
  turn: { address: string; nonce: number } | null
  /** price per unit of block space, which decides between conflicting transactions */
  price: bigint
}

export const creditsOf = ({ transfers }: ChainTransaction): Movement[] =>
  transfers.map(({ to, contract, units }) => ({ address: to, contract, units }))

/** The same transaction mined without effect: the sender pays only the fee. */
export const undone = (transaction: SimulatedTransaction): SimulatedTransaction => ({
  ...transaction,
  succeeded: false,
  transfers: [],
  debits: transaction.turn ? [{ address: transaction.turn.address, contract: null, units: transaction.fee }] : [],
})

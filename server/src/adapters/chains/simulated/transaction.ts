import type { ChainTransaction } from '@bursar/chainkit'

export interface Movement {
  address: string
  /** null: the native coin */
  contract: string | null
  units: bigint
}

/** What a transaction takes from a person; `outpoint` names the coin it spends on a chain of coins. */
export interface Debit extends Movement {
  outpoint?: string
}

/** A transaction with what the chain must know to mine it, undo it, and weigh it against a rival. */
export interface SimulatedTransaction extends ChainTransaction {
  fee: bigint
  /** empty for payments from outside, whose coins come from nowhere */
  debits: Debit[]
  /** the sender's place in line on a chain of accounts; null when the transaction need not wait for its turn */
  turn: { address: string; nonce: number } | null
  /** what a miner earns for each unit of room: decides between rivals */
  price: bigint
}

export const creditsOf = ({ transfers }: ChainTransaction): Movement[] =>
  transfers.map(({ to, contract, units }) => ({ address: to, contract, units }))

/** The same transaction, mined without effect: its sender pays the fee and nothing moves. */
export const undone = (transaction: SimulatedTransaction): SimulatedTransaction => ({
  ...transaction,
  succeeded: false,
  transfers: [],
  debits: transaction.turn ? [{ address: transaction.turn.address, contract: null, units: transaction.fee }] : [],
})

import { creditsOf, type Debit, type Movement, type SimulatedTransaction } from './transaction.ts'

/** Balances and coins after the head of the best chain. Every step can be undone. */
export class ChainState {
  readonly #balances = new Map<string, bigint>()
  readonly #nonces = new Map<string, number>()
  readonly #coins = new Map<string, Debit>()
  readonly #used = new Set<string>()

  apply(transaction: SimulatedTransaction): void {
    for (const key of transaction.keys) this.#used.add(key)
    for (const debit of transaction.debits) if (debit.outpoint !== undefined) this.#coins.delete(debit.outpoint)
    for (const coin of outputsOf(transaction)) this.#coins.set(coin.outpoint, coin)
    if (transaction.turn) this.#nonces.set(transaction.turn.address, transaction.turn.nonce + 1)
    this.#move(transaction, 1n)
  }

  undo(transaction: SimulatedTransaction): void {
    for (const key of transaction.keys) this.#used.delete(key)
    for (const coin of outputsOf(transaction)) this.#coins.delete(coin.outpoint)
    for (const debit of transaction.debits) if (debit.outpoint !== undefined) this.#coins.set(debit.outpoint, debit)
    if (transaction.turn) this.#nonces.set(transaction.turn.address, transaction.turn.nonce)
    this.#move(transaction, -1n)
  }

  balanceOf(address: string, contract: string | null): bigint {
    return this.#balances.get(keyOf(address, contract)) ?? 0n
  }

  nonceOf(address: string): number {
    return this.#nonces.get(address) ?? 0
  }

  coinAt(outpoint: string): Debit | undefined {
    return this.#coins.get(outpoint)
  }

  /** Whether a transaction of the best chain spent this key. */
  isUsed(key: string): boolean {
    return this.#used.has(key)
  }

  /** Whether the transaction could be in the next block. */
  canApply({ keys, turn, debits }: SimulatedTransaction): boolean {
    if (keys.some((key) => this.#used.has(key))) return false
    if (turn && turn.nonce !== this.nonceOf(turn.address)) return false
    if (debits.some(({ outpoint }) => outpoint !== undefined && !this.#coins.has(outpoint))) return false
    return this.#covers(debits.filter(({ contract }) => contract === null))
  }

  /** Whether all its debits are covered, tokens included. */
  canSucceed({ debits }: SimulatedTransaction): boolean {
    return this.#covers(debits)
  }

  #covers(debits: readonly Movement[]): boolean {
    const left = new Map<string, bigint>()
    for (const { address, contract, units } of debits) {
      const key = keyOf(address, contract)
      left.set(key, (left.get(key) ?? this.#balances.get(key) ?? 0n) - units)
    }
    return [...left.values()].every((units) => units >= 0n)
  }

  #move(transaction: SimulatedTransaction, direction: bigint): void {
    const add = ({ address, contract, units }: Movement, sign: bigint): void => {
      const key = keyOf(address, contract)
      this.#balances.set(key, (this.#balances.get(key) ?? 0n) + sign * units)
    }
    for (const credit of creditsOf(transaction)) add(credit, direction)
    for (const debit of transaction.debits) add(debit, -direction)
  }
}

/** The coins a transaction makes, on a chain of coins. */
export const outputsOf = ({ hash, transfers }: SimulatedTransaction): (Debit & { outpoint: string })[] =>
  transfers.flatMap(({ index, to, contract, units }) =>
    index.startsWith('o:') ? [{ outpoint: `${hash}:${index.slice(2)}`, address: to, contract, units }] : [],
  )

const keyOf = (address: string, contract: string | null): string => `${contract ?? ''}/${address}`

import type { Head } from '@bursar/chainkit'
import { Names, type ChainKind } from './names.ts'
import { OUTSIDE_PRICE, outsideTransaction, type OutsidePayment } from './outside.ts'
import { ChainState, outputsOf } from './state.ts'
import { undone, type Debit, type SimulatedTransaction } from './transaction.ts'

export interface SimulatedBlock extends Head {
  parent: string
  time: number
  transactions: SimulatedTransaction[]
}

export interface ChainShape {
  kind: ChainKind
  seed: string
  /** token contracts whose transfers are visible, in lower case */
  tokens: ReadonlySet<string>
  /** ms since the epoch */
  timeAt(height: number): number
}

/** A chain in memory: blocks, a pool, and the effects of each block. The same calls produce the same chain. */
export class Chain {
  readonly blocks: SimulatedBlock[] = []
  /** in the order of arrival */
  readonly pool = new Map<string, SimulatedTransaction>()
  /** transactions of the pool that miners skip */
  readonly held = new Set<string>()
  readonly state = new ChainState()
  readonly #shape: ChainShape
  readonly #names: Names
  readonly #known = new Map<string, SimulatedTransaction>()

  constructor(shape: ChainShape) {
    this.#shape = shape
    this.#names = new Names(shape.kind, shape.seed)
    this.#addBlock([])
  }

  get head(): SimulatedBlock {
    return this.blocks.at(-1)!
  }

  newAddress(): string {
    return this.#names.address()
  }

  /** Adds a transaction from outside to the pool; with `fails` it will be mined without effect. Returns its hash. */
  pay(payments: readonly OutsidePayment[], { fails = false, price = OUTSIDE_PRICE } = {}): string {
    const sender = this.newAddress()
    const keys = [this.#shape.kind === 'accounts' ? `${sender}:0` : `${this.#names.hash()}:0`]
    const transaction = this.#outside(payments, { sender, keys, price })
    this.take(fails ? undone(transaction) : transaction)
    return transaction.hash
  }

  /** Adds a transaction to the pool, replacing those it conflicts with. */
  take(transaction: SimulatedTransaction): void {
    for (const conflict of this.conflictsOf(transaction)) this.drop(conflict.hash)
    this.#known.set(transaction.hash, transaction)
    this.pool.set(transaction.hash, transaction)
  }

  /** Conflicting transactions in the pool. */
  conflictsOf({ hash, keys }: SimulatedTransaction): SimulatedTransaction[] {
    return [...this.pool.values()].filter((one) => one.hash !== hash && one.keys.some((key) => keys.includes(key)))
  }

  /** Replaces a payment from outside in the pool by one to another receiver at a higher price. */
  replace(hash: string): string {
    const replaced = this.pool.get(hash)
    if (!replaced) throw new RangeError(`${hash} is not in the pool`)
    const replacement = this.#toAnother({ ...replaced, price: replaced.price * 2n })
    this.take(replacement)
    return replacement.hash
  }

  /** Removes a transaction and those that spend its coins from the pool. */
  drop(hash: string): void {
    const dropped = this.pool.get(hash)
    if (!dropped) return
    this.pool.delete(hash)
    const gone = new Set(outputsOf(dropped).map(({ outpoint }) => outpoint))
    for (const other of this.pool.values()) if (other.keys.some((key) => gone.has(key))) this.drop(other.hash)
  }

  mine(blocks = 1): void {
    for (let at = 0; at < blocks; at += 1) {
      this.#addBlock([...this.pool.values()].filter(({ hash }) => !this.held.has(hash)))
    }
  }

  /**
   * Replaces the newest `depth` blocks by one more block than that, with the same transactions except these: `lost`
   * ones can never be mined again, because conflicting transactions replace them; `returned` ones and their dependants
   * go back to the pool.
   */
  reorganise(depth: number, change: { lost?: readonly string[]; returned?: readonly string[] } = {}): void {
    const { lost = [], returned = [] } = change
    const most = this.blocks.length - 1
    if (depth < 1 || depth > most) throw new RangeError(`depth is from 1 to ${most}, not ${depth}`)
    const old = this.blocks.splice(-depth)
    for (const { transactions } of old.toReversed()) for (const one of transactions.toReversed()) this.state.undo(one)
    const waiting: SimulatedTransaction[] = []
    for (const { transactions } of old) {
      const originals = transactions.map(({ hash }) => this.#known.get(hash)!)
      const back = originals.filter(({ hash }) => returned.includes(hash))
      const remaining = originals.filter((one) => !back.includes(one))
      waiting.push(
        ...back,
        ...this.#addBlock(remaining.map((one) => (lost.includes(one.hash) ? this.#instead(one) : one))),
      )
    }
    this.#addBlock([])
    for (const one of waiting) this.take(one)
    this.#forgetDead()
  }

  blockOf(hash: string): SimulatedBlock | undefined {
    return this.blocks.findLast(({ transactions }) => transactions.some((one) => one.hash === hash))
  }

  /** A coin of the best chain or of the pool, whether or not something in the pool spends it. */
  coinAt(outpoint: string): Debit | undefined {
    const [hash = ''] = outpoint.split(':')
    const inPool = this.pool.get(hash)
    return this.state.coinAt(outpoint) ?? (inPool && outputsOf(inPool).find((coin) => coin.outpoint === outpoint))
  }

  /** Mines those candidates that can be mined, each after the ones it depends on. Returns the others. */
  #addBlock(candidates: readonly SimulatedTransaction[]): SimulatedTransaction[] {
    const transactions: SimulatedTransaction[] = []
    let left = [...candidates]
    for (let before = -1; before !== left.length;) {
      before = left.length
      left = left.filter((one) => {
        if (!this.state.canApply(one)) return true
        const settled = this.state.canSucceed(one) ? one : undone(one)
        this.state.apply(settled)
        transactions.push(settled)
        return false
      })
    }
    const height = this.blocks.length
    const parent = this.blocks.at(-1)?.hash ?? this.#names.hash()
    this.blocks.push({ height, hash: this.#names.hash(), parent, time: this.#shape.timeAt(height), transactions })
    for (const { hash } of transactions) this.pool.delete(hash)
    return left
  }

  /** Removes transactions from the pool that can never be mined on this branch. */
  #forgetDead(): void {
    for (const { hash, keys, debits } of this.pool.values()) {
      const isSpent = keys.some((key) => this.state.isUsed(key))
      const hangsOnNothing = debits.some(({ outpoint }) => outpoint !== undefined && !this.coinAt(outpoint))
      if (isSpent || hangsOnNothing) this.drop(hash)
    }
  }

  /** Returns a transaction that conflicts with another one, so that the other can never be mined. */
  #instead(lost: SimulatedTransaction): SimulatedTransaction {
    const instead = { ...this.#toAnother(lost), debits: lost.debits, turn: lost.turn }
    this.#known.set(instead.hash, instead)
    return instead
  }

  #toAnother({ keys, price }: SimulatedTransaction): SimulatedTransaction {
    return this.#outside([{ to: this.newAddress(), units: 1n }], { sender: this.newAddress(), keys, price })
  }

  #outside(payments: readonly OutsidePayment[], given: { sender: string; keys: string[]; price: bigint }) {
    const { kind, tokens } = this.#shape
    return outsideTransaction(payments, { kind, tokens, names: this.#names }, given)
  }
}

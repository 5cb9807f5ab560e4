/**
 * A chain of the simulation: actions of people outside and of its nodes, and the truth about it, read past every front.
 */
import type { Network } from '@bursar/chainkit'
import type { Random } from '../../../sandbox/random.ts'
import type { DrawOptions } from './dialect.ts'

export interface ChainAsset {
  ticker: string
  decimals: number
  /** the token's; absent for the chain's own coin */
  contract?: string
}

/**
 * How an outside person pays. `two-outputs` pays the address the amount twice in one transaction. `inner`: a contract
 * sends the coin on. `destruction`: a contract leaves it behind when it is destroyed. `twin`: pays with another token
 * of the same name, which is worth nothing (E3 of docs/faults.md); on EVM chains, not among `ways`. `failing`: a
 * transfer of a token that its contract refuses; the same.
 */
export type Way = 'plain' | 'two-outputs' | 'inner' | 'destruction' | 'twin' | 'failing'

export interface Payment {
  ticker: string
  to: string
  /** base units of the network */
  units: bigint
  /** one of `ways(ticker)`; `plain` when absent */
  how?: string
}

/** A transfer in a block of the best chain. */
export interface Received {
  hash: string
  /** distinguishes transfers of one transaction */
  index: string
  to: string
  /** null: the chain's own coin */
  contract: string | null
  units: bigint
  height: number
}

export type TransactionState = 'pool' | 'mined' | 'failed' | 'unknown'

/** The node as the program sees it. */
export interface NodeFront {
  /** origin, without a slash at the end; with credentials where the node asks for them */
  readonly url: string
  /** Sets how the node speaks. Throws a RangeError for an unknown name, or two that exclude each other. */
  setDialect(names: readonly string[]): void
  /** names that `setDialect` takes; [] is the node's own language */
  readonly dialects: readonly string[]
  /** Draws dialects that go together. */
  drawDialects(random: Random, options?: DrawOptions): string[]
  /** the node answers as of so many blocks ago */
  lagBlocks: number
  /** while true, nothing is answered */
  silent: boolean
  /** Ends silence, lag, and dialects that must end before everything comes to rest. */
  mend(): void
}

export interface SimulatedChain {
  readonly network: Network
  readonly assets: readonly ChainAsset[]
  readonly front: NodeFront
  /** its entry in the networks file */
  settings(): object
  /** in which ways an asset can be paid */
  ways(ticker: string): readonly Way[]
  /** the paying addresses, and the one of a payment; absent: the chain does not distinguish payers */
  readonly payers?: { readonly addresses: readonly string[]; of(hash: string): string | undefined }
  /** An outside person pays; the transaction waits in the pool. @returns its hash */
  pay(payment: Payment): Promise<string>
  /**
   * The payer of a waiting transaction spends the same coins or nonce otherwise, at a higher fee.
   * @returns the hash of the replacement; null if it does not wait, is not a payer's, or the chain has no replacements
   */
  replace(hash: string): Promise<string | null>
  /** Mines blocks, dated by the clock. @returns the new height */
  mine(blocks: number): Promise<number>
  /**
   * Replaces the newest `depth` blocks by one more. Payments in `lost` never happened and cannot happen any more. What
   * else the blocks held stays in its block, comes in a later one, or waits again.
   * @param others `wait`: all of it waits again
   */
  reorganise(depth: number, lost: readonly string[], others?: 'wait'): Promise<void>
  /**
   * Decides whether code at an address of a person outside fails when coin comes; code that takes coin is put there
   * otherwise. It holds for the blocks that are mined from now on, on each branch. Undefined: no code runs here when
   * coin comes.
   */
  refuse?(address: string, isRefusing: boolean): Promise<void>
  /**
   * Puts code at a new address of a person outside, which keeps one base unit of each payment of coin and sends the
   * rest on. Undefined: no code runs here when coin comes.
   */
  passOn?(address: string, to: string): Promise<void>
  /** How many transactions of the blocks `from` to `to` (included) pay coin to the address, with or without effect. */
  attemptsTo?(address: string, from: number, to: number): Promise<number>
  /** whether a transaction is in one of the newest `depth` blocks */
  isWithin(hash: string, depth: number): Promise<boolean>
  /** The issuer of a token stops or resumes its transfers; undefined: no token here can be stopped. */
  pause?(isPaused: boolean): Promise<void>
  /** The node restarts without its pool. */
  forgetPool(): Promise<void>
  /** a new address of an outside person */
  newAddress(random: Random): Promise<string>
  /** `time`: s */
  head(): Promise<{ height: number; hash: string; time: number }>
  /** base units at the head */
  balance(address: string, contract: string | null): Promise<bigint>
  /** Transfers to the addresses in the blocks `from` to `to`, both included. */
  received(addresses: ReadonlySet<string>, from: number, to: number): Promise<Received[]>
  transaction(hash: string): Promise<TransactionState>
  close(): Promise<void>
}

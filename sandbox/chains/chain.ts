/** The sandbox's operations on a chain. Amounts are decimal text in the asset's own unit, such as `0.5` BTC. */

export interface SandboxChain {
  /** BITCOIN, ETHEREUM, BINANCE_SMART_CHAIN, TRON. */
  readonly blockchain: string
  readonly tickers: readonly string[]
  /** Pays from the faucet. The transaction waits for a block. Returns its hash. */
  pay(payment: { readonly ticker: string; readonly to: string; readonly amount: string }): Promise<string>
  /** Returns the new height. */
  mine(blocks: number): Promise<number>
  /**
   * Replaces the newest `depth` blocks by `depth + 1` others. They have the same transactions except those in `without`
   * and their descendants. A payment of the faucet is double-spent and can never return; others wait for a block.
   */
  reorg(change: { readonly depth: number; readonly without: readonly string[] }): Promise<Reorganized>
  /** A new address of someone outside. */
  newAddress(): Promise<string>
  /** In mined blocks. */
  balance(asked: { readonly ticker: string; readonly address: string }): Promise<string>
  transaction(hash: string): Promise<SandboxTransaction | undefined>
  /** Do transactions wait for a block, or for more blocks upon theirs? */
  isBusy(): Promise<boolean>
}

export interface Reorganized {
  readonly height: number
  /** The newest block. */
  readonly hash: string
  /** Can never be mined again. */
  readonly replaced: readonly string[]
  /** Wait for a block again. */
  readonly returned: readonly string[]
}

export interface SandboxTransaction {
  readonly hash: string
  /** `failed`: mined, and undone by its contract. */
  readonly status: 'pending' | 'confirmed' | 'failed'
  readonly confirmations: number
  /** Absent while pending. */
  readonly blockHeight?: number
  readonly blockHash?: string
}

/**
 * Blocks are mined fast until the newest transaction has this number of confirmations: two more than any tier requires.
 * On TRON they are until it is solid.
 */
export const settledDepth = 14

import type { AccountChainAdapter, ChainAdapter, TronChainAdapter } from '../port.ts'

/** A transaction as it is handed over, and the hash it will have. */
export interface Signed {
  raw: string
  hash: string
}

/** Three payments from one sender that use up the same coin or nonce, so that only one of them can be mined. */
export interface Rivals {
  first: Signed
  /** offers less than a node takes in place of `first` */
  cheaper: Signed
  /** offers more than enough to take the place of `first` */
  dearer: Signed
}

/** A chain that the suite moves, and the adapter under test that watches it. Units are the chain's own. */
export interface ChainWorld {
  adapter: ChainAdapter
  identity: string
  /** the block that balances are known at when not at any since the start: the head's, or the final one */
  balancesKnownAt?: 'final'
  /** what calls of one transaction bring an address is shown as one transfer, as a state diff shows it */
  sumsInnerCalls?: true
  /** how many blocks below the head the final one is, on a chain long enough */
  finalBelow: number
  /** of someone outside, never used before */
  newAddress(): Promise<string>
  /** Pays native coin from outside; the transaction waits for a block. */
  pay(to: string, units: bigint): Promise<string>
  /** One transaction that pays several times. */
  payAll(payments: readonly { to: string; units: bigint }[]): Promise<string>
  mine(blocks: number): Promise<void>
  /**
   * Replaces the newest blocks by one more than they were, with the same transactions but these. Payments from outside
   * can't come back then; rivals wait in the pool again.
   */
  reorg(depth: number, without: readonly string[]): Promise<void>
  /** A payment from a sender of its own, signed and not handed over. */
  payment(to: string, units: bigint): Promise<Signed>
  /** absent on a chain where no two transactions exclude each other */
  rivals?(to: string, units: bigint): Promise<Rivals>
  /** absent on a chain without contracts */
  contracts?: ContractWorld
}

/** What contracts can do. Each payment waits for a block and is sent from outside. */
export interface ContractWorld {
  adapter: AccountChainAdapter | TronChainAdapter
  /** on the list of tokens, as is `feeToken`, which keeps one percent of what is sent */
  token: string
  feeToken: string
  /** says of itself what `token` says, and is not on the list */
  lookAlike: string
  decimals: number
  /**
   * Makes a token of an issuer who can freeze, one by one of the two kinds, and freezes an address there; absent where
   * nobody can
   */
  freezing?(kind: 'UsdtLike' | 'UsdcLike', address: string): Promise<string>
  payToken(contract: string, to: string, units: bigint): Promise<string>
  /** Native coin to each by a call within the transaction. */
  payInside(payments: readonly { to: string; units: bigint }[]): Promise<string>
  /** The same, undone while the transaction succeeds. */
  payInRevertedCall(to: string, units: bigint): Promise<string>
  /** The same, undone together with the transaction. */
  payThenRevert(to: string, units: bigint): Promise<string>
  /** Native coin without any call to its receiver. */
  payByDestruction(to: string, units: bigint): Promise<string>
  /** absent where there are no nonces and no gas */
  calls?: CallWorld
}

export interface CallWorld {
  adapter: AccountChainAdapter
  /** A call that its receiver refuses. */
  impossible: { from: string; to: string; value: bigint; data: string }
}

/** What a token's contract is called in an observation: base58 has no other case. */
export const listedAs = (adapter: ChainAdapter, contract: string): string =>
  adapter.network === 'TRON' ? contract : contract.toLowerCase()

/** Where a world is found once the suite has started it. */
export type WorldOf = () => ChainWorld

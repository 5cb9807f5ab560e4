import type { AccountChainAdapter, ChainAdapter, TronChainAdapter } from '../port.ts'

/** A signed transaction and its hash. */
export interface Signed {
  raw: string
  hash: string
}

/** Three conflicting payments: they spend the same coin or nonce of one sender, so that only one can be mined. */
export interface ConflictingTransactions {
  first: Signed
  /** offers too little to replace `first` */
  cheaper: Signed
  /** offers enough to replace `first` */
  dearer: Signed
}

/** A chain that the suite controls, and the adapter under test that reads it. Amounts are in chain units. */
export interface ChainWorld {
  adapter: ChainAdapter
  identity: string
  /** block at which balances are known, if not at every block: the head, or the final block */
  balancesKnownAt?: 'final'
  /** inner calls of one transaction to the same address are shown as one transfer, as in a state diff */
  sumsInnerCalls?: true
  /** number of blocks between the head and the final block, on a long enough chain */
  finalBelow: number
  /** Returns an unused address that is not ours */
  newAddress(): Promise<string>
  /** Pays native coin from an outside address; the transaction stays in the pool. */
  pay(to: string, units: bigint): Promise<string>
  /** Makes one transaction with several payments. */
  payAll(payments: readonly { to: string; units: bigint }[]): Promise<string>
  mine(blocks: number): Promise<void>
  /**
   * Replaces the newest `depth` blocks by one more block than that, with the same transactions except those in
   * `without`. Excluded payments from outside can't be mined again; conflicting transactions return to the pool.
   */
  reorg(depth: number, without: readonly string[]): Promise<void>
  /** Returns a payment from a separate sender, signed but not broadcast. */
  payment(to: string, units: bigint): Promise<Signed>
  /** absent on a chain where no two transactions exclude each other */
  conflicting?(to: string, units: bigint): Promise<ConflictingTransactions>
  /** absent on a chain without contracts */
  contracts?: ContractWorld
}

/** Payments by contracts, sent from outside. Each stays in the pool until a block is mined. */
export interface ContractWorld {
  adapter: AccountChainAdapter | TronChainAdapter
  /** a listed token; so is `feeToken`, which keeps one percent of each transfer */
  token: string
  feeToken: string
  /** has the name and symbol of `token`, but is not listed */
  lookAlike: string
  decimals: number
  /**
   * Deploys a token of one of the two types whose issuer can freeze accounts, and freezes an address there; absent
   * where issuers can't freeze
   */
  freezing?(kind: 'UsdtLike' | 'UsdcLike', address: string): Promise<string>
  payToken(contract: string, to: string, units: bigint): Promise<string>
  /** Pays native coin to each receiver by an inner call. */
  payInside(payments: readonly { to: string; units: bigint }[]): Promise<string>
  /** Like `payInside`, but the inner call is reverted while the transaction succeeds. */
  payInRevertedCall(to: string, units: bigint): Promise<string>
  /** Like `payInside`, but the whole transaction is reverted. */
  payThenRevert(to: string, units: bigint): Promise<string>
  /** Pays native coin without a call to the receiver. */
  payByDestruction(to: string, units: bigint): Promise<string>
  /** absent where there are no nonces and no gas */
  calls?: CallWorld
}

export interface CallWorld {
  adapter: AccountChainAdapter
  /** A call that its receiver rejects. */
  impossible: { from: string; to: string; value: bigint; data: string }
}

/** The contract's form in an observation: lower case on EVM chains; base58 is case-sensitive and stays unchanged. */
export const listedAs = (adapter: ChainAdapter, contract: string): string =>
  adapter.network === 'TRON' ? contract : contract.toLowerCase()

/** Returns the world after the suite has started it. */
export type WorldOf = () => ChainWorld

import type { Block, ChainTransaction, Head, Network } from '@bursar/chainkit'

export type { Block, ChainTransaction, Head, Transfer } from '@bursar/chainkit'

export type TransactionStatus =
  | { kind: 'unknown' }
  | { kind: 'mempool' }
  | { kind: 'mined'; height: number; blockHash: string; succeeded: boolean; /** native units */ fee: bigint }

export type BroadcastResult =
  /** The node took it now, or has it already in its pool or in a block: both are success. */
  | { kind: 'accepted' }
  /** Something it spends is spent, or its nonce used, by another transaction: it may still lose or win. */
  | { kind: 'conflict'; message: string }
  /** The node's rules refuse it as it stands (fee too low, no funds, not replaceable). */
  | { kind: 'refused'; reason: 'fee-too-low' | 'insufficient-funds' | 'invalid'; message: string }

export type FeeRate =
  /** thousandths of a satoshi for each virtual byte */
  | { kind: 'vbyte'; milliSatPerVb: bigint }
  /** wei for each unit of gas; `legacy` chains use maxFeePerGas as the gas price */
  | { kind: 'gas'; legacy: boolean; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/**
 * What a chain node is asked. Every method may throw `ChainUnavailable` (time-out, refused connection, garbage): the
 * caller then knows nothing and tries later; nothing is concluded from it. No method keeps state that matters.
 */
export interface ChainAdapter {
  readonly network: Network
  /** Genesis hash or chain id, compared with the configuration at start: a node of another network is refused. */
  identity(): Promise<string>
  /** What the node can show; without traces, native coin sent by contracts is not seen in blocks. */
  capabilities(): Promise<{ mempool: boolean; traces: boolean }>
  head(): Promise<Head>
  /** The newest block that the network's rule holds to be final (finalized tag, or a configured depth on Bitcoin). */
  finalized(): Promise<Head>
  /** The best chain's block at a height, whole; null when the chain is shorter. Never a block made of two forks. */
  blockAt(height: number): Promise<Block | null>
  /** The best chain's hash at a height, or null when the chain is shorter. */
  hashAt(height: number): Promise<string | null>
  /**
   * Transactions in the pool that are not in `known` (hashes). Empty where the chain has no usable pool. Their senders
   * are named as far as the node says them cheaply: the block names all.
   */
  mempool(known: ReadonlySet<string>): Promise<{ hashes: Set<string>; added: ChainTransaction[] }>
  /** Where a transaction stands on the best chain; a stale block's transaction is not `mined`. */
  statusOf(hash: string): Promise<TransactionStatus>
  /** Hands over signed bytes (hex). Safe to repeat. */
  broadcast(raw: string): Promise<BroadcastResult>
  feeRate(): Promise<FeeRate>
  /**
   * Balances at a block, in chain units, in the order asked. Contract null is the native coin. On Bitcoin the height
   * must be the head's (the UTXO set has no history).
   */
  balancesAt(height: number, wanted: readonly { address: string; contract: string | null }[]): Promise<bigint[]>
}

/** What sending on an account chain needs besides. */
export interface AccountChainAdapter extends ChainAdapter {
  /** Next unused nonce counting mined transactions only. */
  minedNonce(address: string): Promise<number>
  /** Gas this call would take now, or why it would fail: only `reverted` says that the receiver's code refuses it. */
  estimateGas(call: {
    from: string
    to: string
    value: bigint
    data: string
  }): Promise<{ ok: true; gas: bigint } | { ok: false; reason: 'reverted' | 'insufficient-funds'; message: string }>
  /** True when a contract's code sits at the address at the head. An account that delegates (EIP-7702) is none. */
  isContract(address: string): Promise<boolean>
  /** `decimals()` of a token contract, to hold against the configuration at start. */
  tokenDecimals(contract: string): Promise<number>
}

/** The node did not answer, or not in a way that can be believed. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable'
}

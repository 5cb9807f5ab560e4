import type { Block, ChainTransaction, Head, Network } from '@bursar/chainkit'
import type { BlockReference, Burn, Contract, Prices, Resources, Usage } from '@bursar/chainkit/tron'

export type { Block, Head, Transfer } from '@bursar/chainkit'

export type TransactionStatus =
  | { kind: 'unknown' }
  | { kind: 'mempool' }
  | { kind: 'mined'; height: number; blockHash: string; succeeded: boolean; /** native units */ fee: bigint }

export type BroadcastResult =
  /** The node accepted it, or already has it in its pool or in a block. */
  | { kind: 'accepted' }
  /** Another transaction spends the same coins or uses the same nonce. Either of them may still be mined. */
  | { kind: 'conflict'; message: string }
  /** The node's rules reject these bytes (fee too low, no funds, not replaceable). */
  | { kind: 'refused'; reason: 'fee-too-low' | 'insufficient-funds' | 'invalid'; message: string }
  /**
   * The node will accept the same bytes later: a coin they spend is not mature yet, or their chain of unconfirmed
   * ancestors is too long.
   */
  | { kind: 'refused'; reason: 'later'; message: string }
  /**
   * TRON: the transaction has expired, or the block it refers to is on no branch that the node follows. It may still
   * have been mined elsewhere: `isProvenDead` says when it no longer can be.
   */
  | { kind: 'refused'; reason: 'expired'; message: string }

export type FeeRate =
  /**
   * Thousandths of a satoshi per virtual byte: the rate to pay, and the increment that the node requires of a
   * replacement. `guessed`: the node has no estimate, and the rate may be too high or too low.
   */
  | { kind: 'vbyte'; milliSatPerVb: bigint; incrementMilliSatPerVb?: bigint; guessed?: true }
  /** wei for each unit of gas; `legacy` chains use maxFeePerGas as the gas price */
  | { kind: 'gas'; legacy: boolean; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }
  /** in sun, set by the chain: a sender can't offer more or less */
  | ({ kind: 'resources' } & Prices)

/**
 * Queries to a chain node. Every method may throw `ChainUnavailable` (timeout, refused connection, malformed answer):
 * the caller must then conclude nothing and try again later. An adapter keeps no state that matters.
 */
export interface ChainAdapter {
  readonly network: Network
  /** Genesis hash or chain id, compared with the configuration at start: a node of another network is refused. */
  identity(): Promise<string>
  /** Capabilities of the node. Without traces, native coin sent by contracts is not seen in blocks. */
  capabilities(): Promise<{ mempool: boolean; traces: boolean }>
  head(): Promise<Head>
  /** The newest block that is final by the network's rule (finalized tag, or a configured depth on Bitcoin). */
  finalized(): Promise<Head>
  /**
   * The complete block of the best chain at a height; null when the chain is shorter. Never mixes data of two forks.
   */
  blockAt(height: number): Promise<Block | null>
  /** The best chain's hash at a height, or null when the chain is shorter. */
  hashAt(height: number): Promise<string | null>
  /**
   * The hashes of all transactions in the pool, and those transactions that are not in `known`. One call reads a
   * limited number of them: `unread` names the hashes that later calls will add. Empty where the chain has no usable
   * pool. A transaction names all its senders, or none when the node does not have all its parents; its block names
   * them all.
   */
  mempool(
    known: ReadonlySet<string>,
  ): Promise<{ hashes: Set<string>; added: ChainTransaction[]; unread?: ReadonlySet<string> }>
  /** The status of a transaction on the best chain; one in a stale block is not `mined`. */
  statusOf(hash: string): Promise<TransactionStatus>
  /** Sends signed bytes (hex) to the node. Safe to repeat. */
  broadcast(raw: string): Promise<BroadcastResult>
  feeRate(): Promise<FeeRate>
  /**
   * Balances at a block, in chain units, in the order of `wanted`. A null contract means the native coin. On Bitcoin
   * the height must be the head's, because the UTXO set has no history. On TRON it must be the solidified head's,
   * because java-tron keeps no history either and its newest state includes transactions that are not in a block yet.
   */
  balancesAt(height: number, wanted: readonly { address: string; contract: string | null }[]): Promise<bigint[]>
}

/**
 * Size and fee of a transaction in the pool, of its ancestors (the unconfirmed transactions it spends from, which a
 * miner must include with it), and of its descendants (those that spend from it).
 */
export interface PoolCost {
  /** virtual bytes */
  vsize: number
  /** satoshi it pays */
  fee: bigint
  /** without it; the fee is negative where the operator of the node counts the transaction's fee as less */
  ancestors: { vsize: number; fee: bigint }
  /**
   * without the transaction itself, the fee as that of `ancestors`. All descendants leave the pool when it is replaced,
   * and the replacement must pay more than all of them together
   */
  descendants: { count: number; vsize: number; fee: bigint }
  /**
   * the set a miner would include at the best rate: the transaction, its ancestors, and a descendant that pays for them
   */
  package: { vsize: number; fee: bigint }
}

/** An unconfirmed ancestor of a transaction, or the transaction itself. */
export interface PoolAncestor {
  transaction: string
  /** the outpoints it spends, as `ChainTransaction.keys` */
  keys: string[]
}

/** An output of a transaction. */
export interface Coin {
  transaction: string
  vout: number
}

/** Additional queries to a chain of unspent outputs (Bitcoin). */
export interface CoinChainAdapter extends ChainAdapter {
  /**
   * The values of coins on the best chain, in the order of `coins`; null for a coin that a block has spent or that does
   * not exist. Transactions in the pool are ignored. The values are those at the head: to know which block that was,
   * query the head before and after.
   */
  coinsAt(coins: readonly Coin[]): Promise<(bigint | null)[]>
  /**
   * Balances of addresses, in satoshi, from a scan of all unspent outputs, and the block they belong to: the head when
   * the scan began. A scan takes minutes on the main network, and new blocks arrive meanwhile.
   */
  scan(addresses: readonly string[]): Promise<{ head: Head; units: bigint[] }>
  /**
   * Whether the node's pool would accept transactions (hex, complete), each checked alone, in the order of `raws`, as
   * if their signatures were valid. Nothing is broadcast. A node without this check answers `accepted`.
   */
  wouldTake(raws: readonly string[]): Promise<BroadcastResult[]>
  /**
   * Sends a transaction together with its parent, whose fee it pays and which the node does not accept alone. Returns
   * the result for the child. Safe to repeat.
   */
  broadcastWithParent(parent: string, child: string): Promise<BroadcastResult>
  /**
   * All unconfirmed ancestors of a transaction in the pool, and the transaction itself; null when it is not in the
   * pool. The ancestors of a transaction never change.
   */
  ancestorsOf(hash: string): Promise<PoolAncestor[] | null>
  /** Null when the transaction is not in the node's pool. */
  poolCost(hash: string): Promise<PoolCost | null>
  /** Serialised transactions by hash, mined or in the pool. Hashes that the node does not know are left out. */
  rawTransactions(hashes: readonly string[]): Promise<Map<string, Uint8Array>>
}

/** A call whose gas is estimated before it is sent. */
export interface AccountCall {
  from: string
  to: string
  value: bigint
  data: string
}

/** The gas that a call needs, or why it would fail. Only `reverted` means that the receiver's code rejects the call. */
export type GasEstimate =
  | { ok: true; gas: bigint }
  | { ok: false; reason: 'reverted' | 'insufficient-funds'; message: string }

/**
 * The state of one block. A node URL may lead to several machines, each at a different head. A machine that does not
 * have this block causes `ChainUnavailable`, never the state of another block.
 */
export interface AccountState {
  readonly head: Head
  /** Balances in chain units, in the order of `wanted`. A null contract means the native coin. */
  balances(wanted: readonly { address: string; contract: string | null }[]): Promise<bigint[]>
  /** Next unused nonce counting mined transactions only. */
  minedNonce(address: string): Promise<number>
  /** Code at the address, lower-case hex with 0x: `0x` for none, the delegation designator for a delegating account. */
  codeAt(address: string): Promise<string>
  estimateGas(call: AccountCall): Promise<GasEstimate>
  /**
   * Gas that one authorisation (EIP-7702), by an account that does not exist on the chain yet, adds to a transaction of
   * `from`; undefined when the node does not count authorisations, or the chain does not support them.
   */
  authorizationGas(from: string): Promise<bigint | undefined>
}

/** Additional queries for sending on an account chain. */
export interface AccountChainAdapter extends ChainAdapter {
  /**
   * The state of the head block, for decisions about money. Throws `ChainUnavailable` when the head is below `least`: a
   * lagging machine would show coin that was already spent and nonces that are already used.
   */
  stateFrom(least: number): Promise<AccountState>
  /** Next unused nonce counting mined transactions only. */
  minedNonce(address: string): Promise<number>
  /**
   * Like `minedNonce`, in the state of one block. Throws `ChainUnavailable` when that block is not, or no longer, on
   * the best chain.
   */
  minedNonceIn(block: Head, address: string): Promise<number>
  /** Estimates at the node's current head. */
  estimateGas(call: AccountCall): Promise<GasEstimate>
  /** True when the address has contract code at the head. A delegating account (EIP-7702) is not a contract. */
  isContract(address: string): Promise<boolean>
  /**
   * Code at the address at the head, lower-case hex with 0x: `0x` for none, the delegation designator for a delegating
   * account.
   */
  codeAt(address: string): Promise<string>
  /**
   * Simulates a call to an address as if it delegated (EIP-7702) to a delegate with this code. Returns the answer; null
   * when the call would fail, when the chain has no delegation, or when the node can't simulate it. Nothing on the
   * chain changes.
   */
  callDelegated(call: { address: string; delegate: string; code: string; data: string }): Promise<string | null>
  /**
   * True when the token's issuer has frozen the address at the head, as Tether and Circle can. False where the contract
   * has no such list.
   */
  isFrozen(contract: string, address: string): Promise<boolean>
  /** `decimals()` of a token contract, to compare with the settings. @throws NoDecimals when the contract has none */
  tokenDecimals(contract: string): Promise<number>
}

/** Estimated cost of a TRON transaction with the present resources of the accounts involved. */
export type CostEstimate =
  | {
      ok: true
      usage: Usage
      burn: Burn
      /** sun that it burns at most, if no resources are left when it is mined */
      most: bigint
    }
  | { ok: false; reason: 'reverted' | 'insufficient-funds'; message: string }

/** Where the TRX of a TRON account is, in sun (Stake 2.0). */
export interface Stake {
  /** liquid balance */
  spendable: bigint
  /** staked and not lent out, by the resource it yields */
  staked: Record<'BANDWIDTH' | 'ENERGY' | 'TRON_POWER', bigint>
  /** staked, with the resource lent (delegated) to other accounts */
  lent: Record<'BANDWIDTH' | 'ENERGY', bigint>
  /** unstaked; can be withdrawn from a time on (ms since the epoch) */
  unfreezing: { amount: bigint; at: number }[]
}

export interface ResourceSupply {
  energy: bigint
  /** TRX */
  stakedForEnergy: bigint
  freeBandwidth: bigint
}

/** Additional queries for sending on TRON, where there are no nonces and the cost depends on both accounts. */
export interface TronChainAdapter extends ChainAdapter {
  /**
   * A solidified block for a transaction to refer to, and the head's time (ms since the epoch), by which nodes judge
   * expiry.
   */
  reference(): Promise<BlockReference & { time: number }>
  /** Resources that the account has left now; all 0 for an account that is not activated. */
  resourcesOf(address: string): Promise<Resources>
  isActivated(address: string): Promise<boolean>
  /**
   * The energy of this call, which depends on the receiver, its bandwidth, which depends on its size, and the sun burnt
   * for the part that resources don't cover.
   */
  estimateCost(contract: Contract): Promise<CostEstimate>
  /**
   * True when the transaction can never be mined: the solidified chain is past its expiration (ms since the epoch) and
   * does not contain it. False proves nothing.
   */
  isProvenDead(hash: string, expiration: number): Promise<boolean>
  /**
   * Balances at the solidified head, and that block. A null contract means TRX: everything the account owns, including
   * staked, lent and unstaking TRX, since staking transfers nothing.
   */
  balancesAtFinal(
    wanted: readonly { address: string; contract: string | null }[],
  ): Promise<{ head: Head; units: bigint[] }>
  /**
   * How many balances `balancesAtFinal` can read before the solidified head changes, at the rate measured so far. If it
   * is asked for more, it throws `ChainUnavailable`, and this number becomes smaller.
   */
  mostAtFinal?(): number
  /** How the account's TRX is divided, in the solidified state. */
  stakeOf(address: string): Promise<Stake>
  /**
   * Stake for energy, in sun, that the account can lend now. The part whose energy its own calls used is not available
   * until a day has passed.
   */
  lendable(address: string): Promise<bigint>
  /**
   * Stake for energy, in sun, that one account has lent to another, in the solidified state of the block at `height` or
   * of a later block.
   */
  loanOf(from: string, to: string, height: number): Promise<bigint>
  /**
   * The energy per day that all stakers share, the total stake in TRX, and the free bandwidth of each account per day,
   * in bytes. Null when `address` is not activated.
   */
  supplyFor(address: string): Promise<ResourceSupply | null>
  /** True when the address has contract code. */
  isContract(address: string): Promise<boolean>
  /**
   * True when the token's issuer has frozen the address at the head, as Tether and Circle can. False where the contract
   * has no such list.
   */
  isFrozen(contract: string, address: string): Promise<boolean>
  /** `decimals()` of a token contract, to compare with the settings. @throws NoDecimals when the contract has none */
  tokenDecimals(contract: string): Promise<number>
}

/** The node did not answer, or its answer is malformed or contradictory. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable'
}

/** The node answers that a contract has no `decimals()`, which is optional in ERC-20. It stays so. */
export class NoDecimals extends ChainUnavailable {
  override name = 'NoDecimals'
}

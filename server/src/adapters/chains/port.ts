import type { Block, ChainTransaction, Head, Network } from '@bursar/chainkit'
import type { BlockReference, Burn, Contract, Prices, Resources, Usage } from '@bursar/chainkit/tron'

export type { Block, Head, Transfer } from '@bursar/chainkit'

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
  /**
   * The same bytes are taken once the chain or the pool has moved on: what they spend is too young, or what they stand
   * on too long.
   */
  | { kind: 'refused'; reason: 'later'; message: string }
  /**
   * On TRON: its time is up, or the block it refers to is on no branch the node follows. It may still have been mined
   * elsewhere: `isProvenDead` says when it can't be any more.
   */
  | { kind: 'refused'; reason: 'expired'; message: string }

export type FeeRate =
  /**
   * Thousandths of a satoshi for each virtual byte: what is to be paid, and how much more the node asks of a
   * replacement. `guessed`: the node has no estimate, and the rate may be wrong either way.
   */
  | { kind: 'vbyte'; milliSatPerVb: bigint; incrementMilliSatPerVb?: bigint; guessed?: true }
  /** wei for each unit of gas; `legacy` chains use maxFeePerGas as the gas price */
  | { kind: 'gas'; legacy: boolean; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }
  /** sun, set by the chain: no offer can be higher or lower */
  | ({ kind: 'resources' } & Prices)

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
   * All that is in the pool, and transactions of it that are not in `known` (hashes): a bounded number of them, so that
   * `unread` names those of `hashes` that a later call adds. Empty where the chain has no usable pool. Senders are
   * named, or none of a transaction whose parents the node does not have: the block names all.
   */
  mempool(
    known: ReadonlySet<string>,
  ): Promise<{ hashes: Set<string>; added: ChainTransaction[]; unread?: ReadonlySet<string> }>
  /** Where a transaction stands on the best chain; a stale block's transaction is not `mined`. */
  statusOf(hash: string): Promise<TransactionStatus>
  /** Hands over signed bytes (hex). Safe to repeat. */
  broadcast(raw: string): Promise<BroadcastResult>
  feeRate(): Promise<FeeRate>
  /**
   * Balances at a block, in chain units, in the order asked. Contract null is the native coin. On Bitcoin the height
   * must be the head's (the UTXO set has no history), on TRON the solidified head's (java-tron keeps none either, and
   * its newest state has what only waits for a block in it).
   */
  balancesAt(height: number, wanted: readonly { address: string; contract: string | null }[]): Promise<bigint[]>
}

/**
 * A transaction in the pool, the unconfirmed ones that it spends from, which a miner must take with it, and those that
 * spend from it.
 */
export interface PoolCost {
  /** virtual bytes */
  vsize: number
  /** satoshi it pays */
  fee: bigint
  /** without it */
  ancestors: { vsize: number; fee: bigint }
  /**
   * without it: all of them leave the pool when it is replaced, and the replacement must pay more than all of them
   * together
   */
  descendants: { count: number; vsize: number; fee: bigint }
  /** what a miner would take it with, for the best rate: itself, what it needs, and a descendant that pays for it */
  package: { vsize: number; fee: bigint }
}

/** An unconfirmed transaction that another one stands on, or that one itself. */
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

/** What a chain of coins tells besides. */
export interface CoinChainAdapter extends ChainAdapter {
  /**
   * What these coins hold on the best chain, in the order asked: null for one that a block has spent, or none has made.
   * The pool does not count. At the head: a caller that needs to know which block that was asks for it before and
   * after.
   */
  coinsAt(coins: readonly Coin[]): Promise<(bigint | null)[]>
  /**
   * What addresses hold by a look through all coins of the chain, in satoshi, and at which block: the head when it
   * began. It takes minutes on the main network, in which blocks come.
   */
  scan(addresses: readonly string[]): Promise<{ head: Head; units: bigint[] }>
  /**
   * What the node's pool would say to transactions, each by itself and in the order asked, as if their signatures (hex,
   * whole transactions) were valid. Nothing is handed over. A node that can't say takes them.
   */
  wouldTake(raws: readonly string[]): Promise<BroadcastResult[]>
  /**
   * Hands over a transaction together with the one that it pays for, which the node does not take by itself. What
   * becomes of the child is answered. Safe to repeat.
   */
  broadcastWithParent(parent: string, child: string): Promise<BroadcastResult>
  /**
   * All unconfirmed transactions that a transaction of the pool stands on, and itself; null when it is not in the pool.
   * They never change for a transaction.
   */
  ancestorsOf(hash: string): Promise<PoolAncestor[] | null>
  /** Null when the transaction is not in the node's pool. */
  poolCost(hash: string): Promise<PoolCost | null>
  /**
   * Transactions as they travel, by hash, whether mined or in the pool; those that the node does not know are left out.
   */
  rawTransactions(hashes: readonly string[]): Promise<Map<string, Uint8Array>>
}

/** A call to look at before it is sent. */
export interface AccountCall {
  from: string
  to: string
  value: bigint
  data: string
}

/** Gas a call would take, or why it would fail: only `reverted` says that the receiver's code refuses it. */
export type GasEstimate =
  | { ok: true; gas: bigint }
  | { ok: false; reason: 'reverted' | 'insufficient-funds'; message: string }

/**
 * The state of one block. Behind one address there may be many machines, each at a head of its own: one that does not
 * have this block gives `ChainUnavailable`, never the state of another block.
 */
export interface AccountState {
  readonly head: Head
  /** In chain units, in the order asked. Contract null is the native coin. */
  balances(wanted: readonly { address: string; contract: string | null }[]): Promise<bigint[]>
  /** Next unused nonce counting mined transactions only. */
  minedNonce(address: string): Promise<number>
  /** The code at the address, in lower-case hex with 0x: `0x` for none, a designation for one that delegates. */
  codeAt(address: string): Promise<string>
  estimateGas(call: AccountCall): Promise<GasEstimate>
  /**
   * Gas that an authorisation (EIP-7702) of an account that the chain has never seen adds to a transaction of `from`;
   * undefined when the node counts none, or the chain's rules have none.
   */
  authorizationGas(from: string): Promise<bigint | undefined>
}

/** What sending on an account chain needs besides. */
export interface AccountChainAdapter extends ChainAdapter {
  /**
   * The state of the head block, for what decides about money. Throws `ChainUnavailable` when the head is below
   * `least`: a machine that is behind would show coin that has left already, and a nonce that is used.
   */
  stateFrom(least: number): Promise<AccountState>
  /** Next unused nonce counting mined transactions only. */
  minedNonce(address: string): Promise<number>
  /**
   * The same in the state of one block. Throws `ChainUnavailable` when that is not, or no longer, on the best chain.
   */
  minedNonceIn(block: Head, address: string): Promise<number>
  /** At the head, whichever that is. */
  estimateGas(call: AccountCall): Promise<GasEstimate>
  /** True when a contract's code sits at the address at the head. An account that delegates (EIP-7702) is none. */
  isContract(address: string): Promise<boolean>
  /**
   * The code at the address at the head, in lower-case hex with 0x: `0x` for none, a designation for one that
   * delegates.
   */
  codeAt(address: string): Promise<string>
  /**
   * What an address would answer to a call if it delegated (EIP-7702) and the delegate had this code; null when the
   * call would fail, the chain's rules have no delegation, or the node can't suppose any. Nothing on the chain changes.
   */
  callDelegated(call: { address: string; delegate: string; code: string; data: string }): Promise<string | null>
  /**
   * True when the token's issuer has frozen the address at the head, as Tether and Circle can. False where the contract
   * has no such list.
   */
  isFrozen(contract: string, address: string): Promise<boolean>
  /** `decimals()` of a token contract, to hold against the configuration at start. */
  tokenDecimals(contract: string): Promise<number>
}

/** What a transaction of TRON would cost now, out of the accounts as they are. */
export type CostEstimate =
  | {
      ok: true
      usage: Usage
      burn: Burn
      /** sun it could burn when all resources were gone by the time it is mined */
      most: bigint
    }
  | { ok: false; reason: 'reverted' | 'insufficient-funds'; message: string }

/** What an account of TRON owns, in sun, by where it is (Stake 2.0). */
export interface Stake {
  /** what it can send */
  spendable: bigint
  /** staked, by what it gives, and not lent */
  staked: Record<'BANDWIDTH' | 'ENERGY' | 'TRON_POWER', bigint>
  /** staked, and what it gives lent to others */
  lent: Record<'BANDWIDTH' | 'ENERGY', bigint>
  /** no longer staked; can be fetched from a time on (ms since the epoch) */
  unfreezing: { amount: bigint; at: number }[]
}

export interface ResourceSupply {
  energy: bigint
  /** TRX */
  stakedForEnergy: bigint
  freeBandwidth: bigint
}

/** What sending on TRON needs besides: there are no nonces, and costs depend on both accounts. */
export interface TronChainAdapter extends ChainAdapter {
  /**
   * A block that no fork takes away, to refer to, and the time of the head (ms since the epoch), which expiry follows.
   */
  reference(): Promise<BlockReference & { time: number }>
  /** What the account has left now; all 0 for one that is not activated. */
  resourcesOf(address: string): Promise<Resources>
  isActivated(address: string): Promise<boolean>
  /**
   * Energy for this very call, whose price depends on the receiver, bandwidth by size, and what of it would be burnt.
   */
  estimateCost(contract: Contract): Promise<CostEstimate>
  /**
   * True when the transaction can never be mined any more: the solidified chain has passed its expiration (ms since the
   * epoch) and does not hold it. False says nothing.
   */
  isProvenDead(hash: string, expiration: number): Promise<boolean>
  /**
   * Balances of the solidified head, and which block that was. Contract null is TRX: all that is the account's, also
   * what it has staked or lent and what it waits for, since staking moves nothing to anybody.
   */
  balancesAtFinal(
    wanted: readonly { address: string; contract: string | null }[],
  ): Promise<{ head: Head; units: bigint[] }>
  /**
   * How many balances `balancesAtFinal` can read before the solidified head moves on, by the pace measured so far. It
   * throws `ChainUnavailable` for more, and then this is less.
   */
  mostAtFinal?(): number
  /** Where the account's TRX is, in the solidified state. */
  stakeOf(address: string): Promise<Stake>
  /**
   * sun of stake for energy that the account may lend now; what its own calls used is not free before the day is over.
   */
  lendable(address: string): Promise<bigint>
  /**
   * sun of stake for energy that one account has lent another, in the solidified state of this block or a later one.
   */
  loanOf(from: string, to: string, height: number): Promise<bigint>
  /**
   * What all stake for energy shares (energy a day, and TRX), and the bytes a day of every account. Null when the
   * account that asks is not activated.
   */
  supplyFor(address: string): Promise<ResourceSupply | null>
  /** True when a contract's code sits at the address. */
  isContract(address: string): Promise<boolean>
  /**
   * True when the token's issuer has frozen the address at the head, as Tether and Circle can. False where the contract
   * has no such list.
   */
  isFrozen(contract: string, address: string): Promise<boolean>
  /** `decimals()` of a token contract, to hold against the configuration at start. */
  tokenDecimals(contract: string): Promise<number>
}

/** The node did not answer, or not in a way that can be believed. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable'
}

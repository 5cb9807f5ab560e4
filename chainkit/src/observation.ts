/** A block of the chain the node holds to be the best one now. Hashes are lowercase hex, as the node prints them. */
export interface Head {
  height: number
  hash: string
}

/** One movement of value that a transaction makes, in the chain's own integer units of that coin or token. */
export interface Transfer {
  /**
   * Where in its transaction: `o:VOUT` a Bitcoin output, `n` an account chain's native value, `l:N` the Nth log of its
   * transaction (a place that no reorganisation changes), `t:ADDRESS` native coin that inner calls brought to an
   * address of an EVM chain, all of it (on TRON `t:N`, its place among the internal transactions that move coin).
   * `w:INDEX` a withdrawal of a validator of Ethereum and `f` a block's tips, which come without a transaction: their
   * hash is the block's. Transaction hash and index together identify the transfer, also after a reorganisation.
   */
  index: string
  /** Contract of an allow-listed token, in lowercase on EVM chains and base58 on TRON, or null for the native coin. */
  contract: string | null
  /** Senders in canonical form (EIP-55 on EVM chains, base58 on TRON); empty when the chain names none (coinbase). */
  from: string[]
  /** Receiver in canonical form: lowercase bech32 or base58 on Bitcoin, EIP-55 on EVM chains, base58 on TRON. */
  to: string
  units: bigint
}

/**
 * Native coin that an address says it has sent to its treasury, by the log of a sweep. Every contract can log this: it
 * is true of an address of ours only, whose code can be nothing but the pinned delegate.
 */
export interface CoinSwept {
  /** as of a `Transfer`: `t:l:N`, by the place of its log */
  index: string
  /** EIP-55 */
  account: string
  units: bigint
}

export interface ChainTransaction {
  hash: string
  /**
   * What the transaction uses up: `TXID:VOUT` for each Bitcoin input, `ADDRESS:NONCE` (EIP-55) on EVM chains. Two
   * different transactions that share a key can never both be on one chain. On TRON none ever exclude each other: there
   * the one key is the transaction's own hash.
   */
  keys: string[]
  /**
   * False when it is in the block but had no effect but its fee (EVM receipt status 0, a TRON result other than
   * SUCCESS); its transfers are then empty.
   */
  succeeded: boolean
  /** What it paid the network, in native units; 0 for a coinbase, null while it is only in the pool and not known. */
  fee: bigint | null
  /** Who paid the fee, in canonical form, where neither its keys nor the sender of its first transfer say so (TRON). */
  payer?: string
  /** True for a coinbase transaction of Bitcoin. Its outputs can be spent after 100 blocks. */
  coinbase?: true
  transfers: Transfer[]
  /**
   * on EVM chains, when there are any: not among the transfers before it is known which of them are of addresses of
   * ours
   */
  coinSwept?: readonly CoinSwept[]
}

/**
 * What the issuer of a token does to it besides moving it: freezes an account or lets it go, destroys what a frozen one
 * holds, stops all transfers or starts them again, names another contract in place of this one, or sets a fee.
 */
export type IssuerAct = 'froze' | 'released' | 'destroyed' | 'paused' | 'resumed' | 'deprecated' | 'set-fee'

export interface IssuerEvent {
  act: IssuerAct
  /** whom it is about, or the contract that takes the token's place; null where it is about everybody */
  address: string | null
  /** token units that were destroyed; null for other acts */
  units: bigint | null
}

/** An act of the issuer of a token, where it was done. */
export interface IssuerActShown extends IssuerEvent {
  /** the token's, canonical */
  contract: string
  /** of the transaction */
  hash: string
}

export interface Block extends Head {
  parent: string
  /** ms since the epoch, by the block's own stamp */
  time: number
  /**
   * True when a node that should show what contracts did in this block could not, so that native coin which they sent
   * is not among its transfers, or not all of it.
   */
  untraced?: boolean
  /**
   * True where the header names another root than the transactions shown have (TRON), and the node does not say how
   * many there are: one may be missing.
   */
  isUnproven?: true
  /**
   * Notes of TRON's internal transactions in it that the reader does not know, and of which nothing is among the
   * transfers.
   */
  unknownNotes?: readonly string[]
  /** What issuers of listed tokens did in it besides moving them (TRON). */
  issuerActs?: readonly IssuerActShown[]
  transactions: ChainTransaction[]
}

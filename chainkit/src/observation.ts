/**
 * A block of the chain that the node currently considers the best. Hashes are lowercase hex, as the node prints them.
 */
export interface Head {
  height: number
  hash: string
}

/** One movement of value that a transaction makes, in the chain's own integer units of that coin or token. */
export interface Transfer {
  /**
   * Position within its transaction. `o:VOUT`: a Bitcoin output. `n`: an account chain's native value. `l:N`: the Nth
   * log of its transaction, which no reorganisation changes. `t:ADDRESS`: the total native coin that inner calls sent
   * to an address of an EVM chain. `t:N`: on TRON, the place among the internal transactions that move coin. `w:INDEX`:
   * a withdrawal of an Ethereum validator, and `f`: a block's tips. These two have no transaction, so their hash is the
   * block's. Transaction hash and index together identify the transfer, also after a reorganisation.
   */
  index: string
  /** Contract of an allow-listed token, in lowercase on EVM chains and base58 on TRON, or null for the native coin. */
  contract: string | null
  /** Senders in canonical form (EIP-55 on EVM chains, base58 on TRON); empty when there are none (coinbase). */
  from: string[]
  /** There are more senders than `from` lists. */
  sendersOmitted?: true
  /** Receiver in canonical form: lowercase bech32 or base58 on Bitcoin, EIP-55 on EVM chains, base58 on TRON. */
  to: string
  units: bigint
}

/**
 * Native coin that an address reports as sent to its treasury, by the log of a sweep. Any contract can write such a
 * log: it is reliable only for our own addresses, whose code can only be the pinned delegate.
 */
export interface CoinSwept {
  /** like `Transfer.index`: `t:l:N`, where N is the place of its log */
  index: string
  /** EIP-55 */
  account: string
  units: bigint
}

export interface ChainTransaction {
  hash: string
  /**
   * The coins or the nonce that the transaction spends: `TXID:VOUT` for each Bitcoin input, `ADDRESS:NONCE` (EIP-55) on
   * EVM chains. Two transactions that share a key can never both be on one chain. TRON transactions never exclude each
   * other, so the only key there is the transaction's own hash.
   */
  keys: string[]
  /**
   * False when it is in the block but had no effect except its fee (EVM receipt status 0, a TRON result other than
   * SUCCESS); its transfers are then empty.
   */
  succeeded: boolean
  /** Fee in native units; 0 for a coinbase, null while it is in the pool and the fee is unknown. */
  fee: bigint | null
  /**
   * Payer of the fee, in canonical form, where neither its keys nor the sender of its first transfer identify it
   * (TRON).
   */
  payer?: string
  /** True for a coinbase transaction of Bitcoin. Its outputs can be spent after 100 blocks. */
  coinbase?: true
  transfers: Transfer[]
  /** on EVM chains, when there are any. They become transfers only once it is known which are of our own addresses */
  coinSwept?: readonly CoinSwept[]
}

/**
 * Acts of a token's issuer other than transfers: freezes or releases an account, destroys the balance of a frozen one,
 * pauses or resumes all transfers, replaces this contract by another one, or sets a fee.
 */
export type IssuerAct = 'froze' | 'released' | 'destroyed' | 'paused' | 'resumed' | 'deprecated' | 'set-fee'

export interface IssuerEvent {
  act: IssuerAct
  /** the account concerned, or the contract that replaces the token's; null when it concerns all accounts */
  address: string | null
  /** token units that were destroyed; null for other acts */
  units: bigint | null
}

/** An act of a token's issuer, with the transaction that contains it. */
export interface IssuerActShown extends IssuerEvent {
  /** the token's, canonical */
  contract: string
  /** of the transaction */
  hash: string
}

export interface Block extends Head {
  parent: string
  /** ms since the epoch, the block's timestamp */
  time: number
  /**
   * True when a node that should trace this block could not, so that native coin sent by contracts is missing from its
   * transfers, at least in part.
   */
  untraced?: boolean
  /**
   * True when the root in the header differs from that of the transactions shown, and the node does not report their
   * number (TRON): one may be missing.
   */
  isUnproven?: true
  /** Unknown notes of TRON's internal transactions in it; those entries are not among the transfers. */
  unknownNotes?: readonly string[]
  /** Acts of the issuers of listed tokens in it (TRON). */
  issuerActs?: readonly IssuerActShown[]
  transactions: ChainTransaction[]
}

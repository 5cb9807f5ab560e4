import type { KeyAccount, Network } from '@bursar/chainkit'

/** A payment the ledger has decided on. Its contents never change; a transaction pays it, or a replacement does. */
export interface Intent {
  /** UUID in lower case */
  id: string
  /** Ticker, as in the policy */
  asset: string
  /** Canonical text: EIP-55 on EVM chains, base58 on TRON, segwit in lower case on Bitcoin */
  to: string
  /** The asset's units on this chain (satoshi, wei, sun, token base units), decimal digits */
  units: string
}

/** Which of our keys: `account'/branch/index` below the network's purpose and coin. EVM chains and TRON have branch 0 only. */
export interface KeyReference {
  account: KeyAccount
  branch: 0 | 1
  index: number
}

/** An Ed25519 signature by an enrolled approver over `approvalMessage` of one of the intents. */
export interface Approval {
  keyId: string
  /** 64 bytes, hex */
  signature: string
}

/**
 * `payout`: pays the intents and nothing else. `filler`: an EVM transaction that only uses up a nonce, sent to its own
 * address with nothing in it, to close a gap or to cancel what is stuck. `treasury`: a transaction of TRON that stakes, or
 * lends resources to, or activates, an account of ours; it pays nobody. `sweep`: brings deposits to the treasury of the
 * policy (EVM) or to our hot address (TRON), or gives a deposit address what that costs it. `consolidation`: a Bitcoin transaction that
 * joins coins of ours into one of the hot account; it pays nobody. `cold`: pays one intent to the cold address that the policy
 * has for its asset. `rebalance`: an EVM transaction from one hot address of the policy to another.
 */
export type Purpose = 'payout' | 'filler' | 'treasury' | 'sweep' | 'consolidation' | 'cold' | 'rebalance'

export interface SignRequest {
  network: Network
  /** UUID of the transaction in the caller's books; kept in the log */
  transactionId: string
  purpose: Purpose
  intents: Intent[]
  /**
   * A PSBT in hex (Bitcoin), an unsigned transaction or a draft (EIP-7702) in hex with 0x (EVM), or `raw_data` in hex (TRON), exactly as
   * chainkit writes it
   */
  unsigned: string
  /** Bitcoin: the key of each input, in order. EVM and TRON: the one key. A sweep: see README. A rebalance: sender's and receiver's. */
  keys: KeyReference[]
  /** TRON, `treasury` and `sweep`: which of our keys has the account that receives, where the transaction names one */
  receiver?: KeyReference
  approvals?: Approval[]
}

export interface SignAnswer {
  /** The signed transaction as the network takes it: hex, with 0x on EVM chains */
  signed: string
  /** The transaction's id on its network */
  hash: string
  /** Virtual bytes; Bitcoin only */
  vsize?: number
}

/** Sums already signed for, within the last hour and day, in the asset's chain units (fees: the native coin's). */
export interface VelocityUse {
  network: Network
  /** `fee` for network fees */
  asset: string
  hour: string
  day: string
  maxPerHour: string
  maxPerDay: string
}

export interface AccountKeys {
  deposit: string
  hot: string
}

/** Account-level extended public keys: all the rest of the system ever sees of the keys. */
export interface PublicKeys {
  /** First four bytes of the master key's identifier, hex */
  masterFingerprint: string
  bitcoinChain: string
  bitcoin: AccountKeys
  evm: AccountKeys
  tron: AccountKeys
}

export interface SignerStatus {
  keys: PublicKeys
  policy: {
    /** SHA-256 of the policy file, hex */
    hash: string
    enabled: boolean
    approvers: string[]
    networks: Record<string, unknown>
  }
  log: {
    /** Lines, the first of which is the header */
    length: number
    /** SHA-256 of the last line, hex: the head of the chain, worth keeping elsewhere */
    head: string
  }
  velocity: VelocityUse[]
}

/** The longest request the signer reads, in bytes: a payout with a thousand inputs. */
export const MAX_REQUEST_BYTES = 1024 * 1024

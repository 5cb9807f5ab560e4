import type { KeyAccount, Network } from '@bursar/chainkit'
import type { RefusalCode } from './refusal.ts'

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

/**
 * Which of our keys: `account'/branch/index` below the network's purpose and coin. EVM chains and TRON have branch 0
 * only.
 */
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
 * address with nothing in it, to close a gap or to cancel what is stuck. `treasury`: a transaction of TRON that stakes,
 * or lends resources to, or activates, an account of ours; it makes no payment. `sweep`: brings deposits to the
 * treasury of the policy (EVM) or to our hot address (TRON), or gives a deposit address what that costs it.
 * `consolidation`: a Bitcoin transaction that joins coins of ours into one of the hot account; it makes no payment.
 * `cold`: pays one intent to the cold address that the policy has for its asset. `rebalance`: an EVM transaction from
 * one hot address of the policy to another.
 */
export type Purpose = 'payout' | 'filler' | 'treasury' | 'sweep' | 'consolidation' | 'cold' | 'rebalance'

export interface SignRequest {
  network: Network
  /** UUID of the transaction in the caller's books; kept in the log */
  transactionId: string
  purpose: Purpose
  intents: Intent[]
  /**
   * A PSBT in hex (Bitcoin), an unsigned transaction or a draft (EIP-7702) in hex with 0x (EVM), or `raw_data` in hex
   * (TRON), exactly as chainkit writes it
   */
  unsigned: string
  /**
   * Bitcoin: the key of each input, in order. EVM and TRON: the one key. A sweep: see README. A rebalance: sender's and
   * receiver's.
   */
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

/**
 * A transaction that was signed for an intent, from the log. Any of an intent's transactions may be mined, or may have
 * been.
 */
export interface SignedTransaction {
  network: Network
  /** As the request named it: the transaction in the caller's books */
  transactionId: string
  purpose: Purpose
  /** Everything it pays: on Bitcoin other intents beside the one asked about */
  intents: Intent[]
  keys: KeyReference[]
  /** ms since the epoch, by the signer's clock */
  at: number
  /** The transaction's id on its network */
  hash: string
  /**
   * As the network takes it, so that it can be broadcast again. Absent while the policy has its network or an asset
   * switched off.
   */
  signed?: string
  /**
   * What at most one confirmed transaction can use: outpoints on Bitcoin, `chainId:address:nonce` on EVM chains,
   * nothing on TRON
   */
  conflictKeys: string[]
  /** TRON: ms since the epoch after which no block takes it */
  expiresAt?: number
}

/** What `POST /check` asks: payments of one network that nothing was signed for yet. */
export interface CheckRequest {
  network: Network
  intents: Intent[]
  approvals?: Approval[]
}

/** A payment that would be refused. */
export interface IntentRefusal {
  id: string
  refused: RefusalCode
  message: string
}

/** Answer to `POST /check`: empty when every payment would be signed. */
export interface CheckAnswer {
  refusals: IntentRefusal[]
}

/**
 * Answer to `GET /intents/ID`: empty when nothing was ever signed for the intent. To `POST /intents/ID/close`: empty
 * when it is closed, so that nothing ever will be.
 */
export interface IntentAnswer {
  transactions: SignedTransaction[]
}

/** Sums already signed for, within the last hour and day, in the asset's chain units (fees: the native coin's). */
export interface VelocityUse {
  network: Network
  /** `fee` for network fees; on TRON `stake` and `loan` for what the treasury binds */
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
  log: LogEnd
  velocity: VelocityUse[]
}

/** How far a log goes: what is worth keeping on another machine. */
export interface LogEnd {
  /** Lines, the first of which is the header */
  length: number
  /** SHA-256 of the last line, hex */
  head: string
}

/**
 * Header of every answer, and of a request whose caller has seen the log before: `LENGTH HEAD`. A request is refused
 * (`log-cut-back`) by a log that did not have that head when it had that length.
 */
export const LOG_HEADER = 'signer-log'

export function writeLogEnd({ length, head }: LogEnd): string {
  return `${length} ${head}`
}

/** Undefined where the text is none. */
export function readLogEnd(text: unknown): LogEnd | undefined {
  const [, length, head] = (typeof text === 'string' && /^([0-9]{1,15}) ([0-9a-f]{64})$/.exec(text)) || []
  return length === undefined || head === undefined ? undefined : { length: Number(length), head }
}

/** The longest request the signer reads, in bytes: a payout with a thousand inputs. */
export const MAX_REQUEST_BYTES = 1024 * 1024

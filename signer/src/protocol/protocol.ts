import type { KeyAccount, Network } from '@bursar/chainkit'
import type { RefusalCode } from './refusal.ts'

/**
 * A payment that the ledger has decided on. Its contents never change. One transaction, or a replacement of it, pays
 * it.
 */
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
 * One of our keys: `account'/branch/index` below the network's purpose and coin type. EVM chains and TRON use branch 0
 * only.
 */
export interface KeyReference {
  account: KeyAccount
  branch: 0 | 1
  index: number
}

/** An Ed25519 signature by an enrolled approver over `approvalMessage` of one of the intents. */
export interface Approval {
  /** The approver's id in the policy */
  keyId: string
  /** ms since the epoch: the end of the approval, as the signed text states it */
  expiresAt: number
  /** 64 bytes, hex */
  signature: string
}

/**
 * The purpose of a transaction:
 * - `payout`: pays the intents and nothing else
 * - `filler`: an EVM transaction that only uses up a nonce, to close a gap or to cancel a stuck transaction. It sends 0
 *   to its own address, without data
 * - `treasury`: a TRON transaction that stakes, or that lends resources to or activates one of our accounts
 * - `sweep`: brings deposits to the treasury of the policy (EVM) or to our hot address (TRON), or sends a deposit
 *   address coin for its fees
 * - `consolidation`: a Bitcoin transaction that joins our coins into one of the hot account
 * - `cold`: pays one intent, to the cold address that the policy has for its asset
 * - `rebalance`: an EVM transaction from one hot address of the policy to another
 */
export type Purpose = 'payout' | 'filler' | 'treasury' | 'sweep' | 'consolidation' | 'cold' | 'rebalance'

export interface SignRequest {
  network: Network
  /** UUID of the transaction in the caller's database; recorded in the log */
  transactionId: string
  purpose: Purpose
  intents: Intent[]
  /**
   * A PSBT in hex (Bitcoin), an unsigned transaction or a draft (EIP-7702) in hex with 0x (EVM), or `raw_data` in hex
   * (TRON), exactly as chainkit writes it
   */
  unsigned: string
  /**
   * Bitcoin: the key of each input, in order. EVM and TRON: the signing key. A sweep: see README. A rebalance: the keys
   * of sender and receiver.
   */
  keys: KeyReference[]
  /** TRON, `treasury` and `sweep`: our key whose account receives, if the transaction has a receiver */
  receiver?: KeyReference
  approvals?: Approval[]
}

export interface SignAnswer {
  /** The signed transaction in the network's encoding: hex, with 0x on EVM chains */
  signed: string
  /** The transaction's id on its network */
  hash: string
  /** Virtual bytes; Bitcoin only */
  vsize?: number
}

/**
 * A transaction from the log that was signed for an intent. Any transaction of an intent may be mined, now or later.
 */
export interface SignedTransaction {
  network: Network
  /** UUID of the transaction in the caller's database, from the request */
  transactionId: string
  purpose: Purpose
  /** All intents that it pays: on Bitcoin also others than the requested one */
  intents: Intent[]
  keys: KeyReference[]
  /** ms since the epoch, by the signer's clock */
  at: number
  /** The transaction's id on its network */
  hash: string
  /**
   * The signed transaction, which can be broadcast again. Absent while the policy has its network or an asset switched
   * off.
   */
  signed?: string
  /**
   * Resources that only one confirmed transaction can use: outpoints on Bitcoin, `chainId:address:nonce` on EVM chains,
   * nothing on TRON
   */
  conflictKeys: string[]
  /** TRON: ms since the epoch after which no block includes it */
  expiresAt?: number
}

/** A payment that the signer refused because it lacks approvals, and that it would sign with them. */
export interface WaitingPayment {
  network: Network
  intent: Intent
  /** The amount as people write it, with the ticker; in base units when the policy does not state the decimals */
  amount: string
  /** Ids of the approvers whose approvals count now */
  approvedBy: string[]
  /** Number of approvers that the policy requires */
  needed: number
  /** ms since the epoch: the first time that the signer was asked */
  since: number
}

/** Body of `POST /approvals`: an approval of a payment that waits, to store in the signer's log. */
export interface GivenApproval extends Approval {
  network: Network
  intentId: string
}

/** Body of `POST /check`: payments on one network for which nothing was signed yet. */
export interface CheckRequest {
  network: Network
  intents: Intent[]
  approvals?: Approval[]
}

/** A payment that would be refused, and why. */
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
 * Answer to `GET /intents/ID`: empty when nothing was signed for the intent. Answer to `POST /intents/ID/close`: empty
 * when the intent is closed, so that nothing will ever be signed for it.
 */
export interface IntentAnswer {
  transactions: SignedTransaction[]
}

/** Amounts signed within the last hour and day, in the asset's chain units (fees: the native coin's). */
export interface VelocityUse {
  network: Network
  /** A ticker; `fee` for network fees; on TRON `stake` and `loan` for the treasury's transactions */
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

/** Account-level extended public keys. The rest of the system has no other keys of the signer. */
export interface PublicKeys {
  /** First four bytes of the master key's identifier, hex */
  masterFingerprint: string
  bitcoinChain: string
  bitcoin: AccountKeys
  evm: AccountKeys
  tron: AccountKeys
  /**
   * The keys of the second seed, once it is active: on Bitcoin and EVM chains, indexes from 2^30 on derive from them,
   * less 2^30 (docs/decisions/0210)
   */
  next?: {
    masterFingerprint: string
    bitcoin: AccountKeys
    evm: AccountKeys
    /** Whether another party may have the first seed; absent when not */
    isFirstStolen?: true
  }
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
  /** The signer's clock, in ms since the epoch; absent from a signer of an older build */
  time?: number
}

/** The end of a log. Store it on another machine to detect a log that was cut back. */
export interface LogEnd {
  /** Lines, the first of which is the header */
  length: number
  /** SHA-256 of the last line, hex */
  head: string
}

/**
 * Header of every answer, and of the requests of a caller that has seen the log before: `LENGTH HEAD`. The signer
 * refuses the request (`log-cut-back`) if its log did not have that head at that length.
 */
export const LOG_HEADER = 'signer-log'

export function writeLogEnd({ length, head }: LogEnd): string {
  return `${length} ${head}`
}

/** Parses the header; undefined when it is missing or malformed. */
export function readLogEnd(text: unknown): LogEnd | undefined {
  const [, length, head] = (typeof text === 'string' && /^([0-9]{1,15}) ([0-9a-f]{64})$/.exec(text)) || []
  return length === undefined || head === undefined ? undefined : { length: Number(length), head }
}

/** The time that the signer spent on a request, for traces of the caller. */
export interface SigningTime {
  /** ms since the epoch with fractions, by the signer's clock: when it began to read the request */
  startedAt: number
  /** ms with fractions, until the answer was ready; other requests that it waited for are included */
  ms: number
}

/**
 * Header of every answer of the signer: `STARTED_AT MS`. It lets the caller show the signer's part of a call. The
 * signer itself sends nothing to a collector of traces: it opens no connections.
 */
export const TIME_HEADER = 'signer-time'

export function writeSigningTime({ startedAt, ms }: SigningTime): string {
  return `${startedAt.toFixed(3)} ${Math.max(0, ms).toFixed(3)}`
}

/** Parses the header; undefined when it is missing, as from an older signer, or malformed. */
export function readSigningTime(text: unknown): SigningTime | undefined {
  const [, startedAt, ms] =
    (typeof text === 'string' && /^([0-9]{1,14}\.[0-9]{3}) ([0-9]{1,9}\.[0-9]{3})$/.exec(text)) || []
  return startedAt === undefined || ms === undefined ? undefined : { startedAt: Number(startedAt), ms: Number(ms) }
}

/** Largest size of a request body, in bytes: a payout with a thousand inputs. */
export const MAX_REQUEST_BYTES = 1024 * 1024

import type { Network } from '@bursar/chainkit'
import type { Intent, KeyReference, Purpose, SignAnswer } from '../protocol/protocol.ts'

/** First line of a log: whose it is. */
export interface HeaderEntry {
  kind: 'log'
  version: 1
  /** ms since the epoch */
  at: number
  /** Of the master key, hex: a log is never used with another seed */
  masterFingerprint: string
}

/** What a transaction of the treasury stakes, unstakes or lends. */
export interface BoundResources {
  as: 'stake' | 'loan'
  /** sun, decimal digits */
  units: string
}

/** That an address runs the code of another (EIP-7702), as the log keeps it. */
export interface GivenAuthorization {
  /** `chainId:address`, whose leave it is */
  account: string
  /** decimal digits */
  nonce: string
  /** EIP-55 */
  delegate: string
}

/** One signed transaction. Holds no secret: everything in it is or may become public on the network. */
export interface SignedEntry {
  kind: 'signed'
  /** ms since the epoch */
  at: number
  network: Network
  transactionId: string
  purpose: Purpose
  intents: Intent[]
  keys: KeyReference[]
  /** Bitcoin and TRON: the txid. EVM: the hash that was signed, and by whom. One id is one transaction. */
  unsignedId: string
  /** SHA-256 of network, unsigned bytes and keys as they came, hex: the same again gets the same answer */
  requestHash: string
  /**
   * What at most one confirmed transaction can use: outpoints on Bitcoin, `chainId:address:nonce` on EVM chains,
   * nothing on TRON
   */
  conflictKeys: string[]
  /** In units of the network's own coin: the most the network can be paid */
  fee: string
  /** Transactions with the same one compete: at most one of their fees is ever paid */
  feeSlot: string
  /** Index of the change address below the hot account, so that it is found whatever the gap */
  changeIndex?: number
  /** TRON: ms since the epoch after which no block takes it. Nothing else ever keeps it from being mined. */
  expiresAt?: number
  /** TRON: what counts towards the treasury's sums. Absent in lines from before there were such sums */
  bound?: BoundResources
  /** EIP-7702: which addresses of ours were let run what */
  authorizations?: GivenAuthorization[]
  /** Approvers who signed, by intent, where the policy asked for them */
  approvedBy?: Record<string, string[]>
  answer: SignAnswer
}

/** An intent that nothing was signed for when it was closed. Nothing is signed for it after this line. */
interface ClosedEntry {
  kind: 'closed'
  /** ms since the epoch */
  at: number
  intent: string
}

/** What a log holds besides its header. */
type RecordedEntry = SignedEntry | ClosedEntry

export type LogEntry = HeaderEntry | RecordedEntry

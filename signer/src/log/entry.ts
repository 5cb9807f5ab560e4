import type { Network } from '@bursar/chainkit'
import type { Intent, KeyReference, Purpose, SignAnswer } from '../protocol/protocol.ts'

/** First line of each file of a log. It names the seed that the log belongs to. */
export interface HeaderEntry {
  kind: 'log'
  version: 1
  /** ms since the epoch */
  at: number
  /** Fingerprint of the master key, hex: a log is never used with another seed */
  masterFingerprint: string
}

/** Amount that a treasury transaction stakes, unstakes or lends. */
export interface BoundResources {
  as: 'stake' | 'loan'
  /** sun, decimal digits */
  units: string
}

/** A signed authorisation of an address to run the code of another (EIP-7702). */
export interface GivenAuthorization {
  /** `chainId:address` of the authorising address */
  account: string
  /** decimal digits */
  nonce: string
  /** EIP-55 */
  delegate: string
}

/** One signed transaction. It contains no secret: all of it is, or may become, public on the network. */
export interface SignedEntry {
  kind: 'signed'
  /** ms since the epoch */
  at: number
  network: Network
  transactionId: string
  purpose: Purpose
  intents: Intent[]
  keys: KeyReference[]
  /**
   * Identifies the transaction. Bitcoin and TRON: the txid. EVM: the hash that was signed (of a sweep, the SHA-256 of
   * the unsigned bytes) and the sender's address
   */
  unsignedId: string
  /** SHA-256 of network, unsigned bytes and keys of the request, hex: an identical request gets the same answer */
  requestHash: string
  /**
   * Resources that only one confirmed transaction can use: outpoints on Bitcoin, `chainId:address:nonce` on EVM chains,
   * nothing on TRON
   */
  conflictKeys: string[]
  /** Highest possible fee, in units of the network's own coin */
  fee: string
  /** Transactions with the same slot compete: at most one of their fees is paid */
  feeSlot: string
  /** Index of the change address in the hot account, so that it can be found with any gap limit */
  changeIndex?: number
  /** TRON: ms since the epoch after which no block includes it. Until then nothing prevents it from being mined. */
  expiresAt?: number
  /** TRON: the amount that counts towards the treasury's limits. Absent in lines older than those limits */
  bound?: BoundResources
  /** EIP-7702: the authorisations of our addresses */
  authorizations?: GivenAuthorization[]
  /** Approvers who signed, by intent, where the policy requires approvals */
  approvedBy?: Record<string, string[]>
  /** TRON: the approvals of the request that were used up, by their ids */
  usedApprovals?: string[]
  answer: SignAnswer
}

/** An intent that was closed before anything was signed for it. Nothing is signed for it after this line. */
interface ClosedEntry {
  kind: 'closed'
  /** ms since the epoch */
  at: number
  intent: string
}

/**
 * An approval that the signer verified and accepted. The line contains the whole proof, so that the approval can be
 * verified again from the log and the approver's public key.
 */
export interface ApprovedEntry {
  kind: 'approved'
  /** ms since the epoch */
  at: number
  network: Network
  intent: Intent
  /** Id of the approver, a person */
  approver: string
  /** The public key that signed, as the policy writes it */
  key: string
  /** ms since the epoch: the approval's end */
  expiresAt: number
  proof: SignatureProof | PasskeyProof
}

/** An Ed25519 signature of `approvalMessage`, in hex. */
export interface SignatureProof {
  kind: 'ed25519'
  signature: string
}

/** An answer of a passkey to the SHA-256 of `approvalMessage` and the nonce; the bytes in base64url. */
export interface PasskeyProof {
  kind: 'passkey'
  /** Chosen by the signer for the page that it showed */
  nonce: string
  /** The authenticator's counter of signatures; 0 when it does not count */
  counter: number
  authenticatorData: string
  clientDataJSON: string
  signature: string
}

/** The second seed became active. From this line on the log is used with this second seed only. */
interface RotatedEntry {
  kind: 'rotated'
  /** ms since the epoch */
  at: number
  /** Fingerprint of the second seed's master key, hex */
  masterFingerprint: string
}

/** The entries of a log other than headers. */
type RecordedEntry = SignedEntry | ClosedEntry | ApprovedEntry | RotatedEntry

const RECORDED: ReadonlySet<string> = new Set<RecordedEntry['kind']>(['signed', 'closed', 'approved', 'rotated'])

/** Whether a line of this kind may stand after a header. */
export function isRecorded(kind: string): boolean {
  return RECORDED.has(kind)
}

export type LogEntry = HeaderEntry | RecordedEntry

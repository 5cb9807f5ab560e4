import type { KeyAccount, Network } from '@bursar/chainkit'
import type {
  CheckRequest,
  IntentRefusal,
  SignedTransaction,
  SignerRefusal,
  SignerStatus,
  SigningTime,
  WaitingPayment,
} from '@bursar/signer/client'

/**
 * The payment of a transaction, which the signer compares with the bytes: one withdrawal, in the asset's chain units.
 */
export interface Intent {
  id: string
  asset: string
  to: string
  units: string
}

interface SigningKey {
  account: KeyAccount
  branch: 0 | 1
  index: number
}

export interface SignRequest {
  network: Network
  transactionId: string
  purpose: 'payout' | 'filler' | 'consolidation' | 'cold' | 'sweep' | 'treasury' | 'rebalance'
  intents: Intent[]
  /** a PSBT in hex, or an unsigned EVM transaction in hex with 0x */
  unsigned: string
  /** the key of each input, or the sender's key */
  keys: SigningKey[]
  /** TRON: our key whose account receives energy, an activation or TRX for fees */
  receiver?: SigningKey
  approvals?: { keyId: string; expiresAt: number; signature: string }[]
}

export type SignAnswer =
  /** the signed transaction, as it is broadcast, and its hash */
  | { signed: string; hash: string }
  /** nothing was signed, and an unchanged request will be refused again */
  | SignerRefusal

/**
 * The signer, wherever it runs. Throws when it can't be reached or its answer was lost; it is then unknown whether it
 * signed.
 */
export interface Signer {
  /** @param timed called with the time that the signer spent, if it states it */
  sign(request: SignRequest, timed?: (time: SigningTime) => void): Promise<SignAnswer>
  /** all transactions that it ever signed for an intent, oldest first; empty when there are none */
  transactionsOf(intentId: string): Promise<SignedTransaction[]>
  /**
   * Closes an intent for which it has not signed, so that it never will.
   * @returns its transactions; empty: the intent is closed, and there is and will be no transaction for it
   */
  closeIntent(intentId: string): Promise<SignedTransaction[]>
  /** Returns those payments that it would refuse now, before a transaction is built for them. Fees are not checked. */
  check(request: CheckRequest): Promise<IntentRefusal[]>
  status(): Promise<SignerStatus>
  /** Returns the payments that it refuses only because approvals are missing, the oldest first. */
  waiting(): Promise<WaitingPayment[]>
}

/** The signer's log, for a copy of it and for a database that lost payments. */
export interface SignerLog {
  /**
   * Returns lines from a number on, the exact texts; empty past the end. Throws when the signer gives no reliable
   * answer.
   */
  logLines(from: number): Promise<string[]>
}

export type { RefusalClass, SignedTransaction, SignerRefusal, SignerStatus } from '@bursar/signer/client'

import type { KeyAccount, Network } from '@bursar/chainkit'
import type { CheckRequest, IntentRefusal, SignedTransaction, SignerRefusal, SignerStatus } from '@bursar/signer/client'

/** What a transaction pays, as the signer holds it against the bytes: one withdrawal, in the asset's chain units. */
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
  /** the key of each input, or the one key of the sender */
  keys: SigningKey[]
  /** TRON: which of our keys has the account that receives energy, an activation or TRX for its fees */
  receiver?: SigningKey
  approvals?: { keyId: string; signature: string }[]
}

export type SignAnswer =
  /** raw network transaction as the network takes it, and its hash */
  | { signed: string; hash: string }
  /** nothing was signed, and nothing will be for this request as it stands */
  | SignerRefusal

/** The signer, wherever it runs. Throws when it can't be reached or its answer was lost: then nothing is known. */
export interface Signer {
  sign(request: SignRequest): Promise<SignAnswer>
  /** every transaction it ever signed for an intent, the first one first; empty: it never signed for it */
  transactionsOf(intentId: string): Promise<SignedTransaction[]>
  /**
   * Closes an intent that it never signed for, so that it never will.
   * @returns its transactions; empty: it is closed, and nothing of it exists or ever will
   */
  closeIntent(intentId: string): Promise<SignedTransaction[]>
  /** Those of these payments that it would refuse now, before a transaction is built for them. Fees are not judged. */
  check(request: CheckRequest): Promise<IntentRefusal[]>
  status(): Promise<SignerStatus>
}

export type { RefusalClass, SignedTransaction, SignerRefusal, SignerStatus } from '@bursar/signer/client'

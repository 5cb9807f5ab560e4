import type { BoundResources, GivenAuthorization } from '../log/entry.ts'

/** The effects of a transaction, as the signer parsed them from the bytes, and a function that signs exactly that. */
export interface Judgement {
  /** See SignedEntry */
  unsignedId: string
  conflictKeys: string[]
  /** In units of the network's own coin */
  fee: bigint
  feeSlot: string
  changeIndex?: number
  /** ms since the epoch, on TRON: see SignedEntry */
  expiresAt?: number
  /** TRON: see SignedEntry */
  bound?: BoundResources
  /** EIP-7702: the authorisations of our addresses */
  authorizations?: GivenAuthorization[]
  sign(): { signed: string; hash: string; vsize?: number }
}

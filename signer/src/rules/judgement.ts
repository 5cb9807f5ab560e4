import type { BoundResources, GivenAuthorization } from '../log/entry.ts'

/** What a transaction does, as the signer read it from the bytes itself, and how to sign exactly that. */
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
  /** EIP-7702: what addresses of ours are let run */
  authorizations?: GivenAuthorization[]
  sign(): { signed: string; hash: string; vsize?: number }
}

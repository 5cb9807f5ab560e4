import type { Network } from '@bursar/chainkit'
import type { Attempt, Outgoing } from '../../chain/transactions/index.ts'

/** A transfer to cold storage with the transaction that makes it. */
export interface ColdTransfer {
  /** also of its transaction in `outgoing`, whose state is the transfer's */
  id: string
  network: Network
  asset: string
  /** ledger units */
  units: bigint
  to: string
  expiresAt: Date
  importedAt: Date | null
  /** why it came to nothing */
  ended: 'cancelled' | 'expired' | 'overtaken' | null
  createdAt: Date
}

/** A transfer with the unsigned bytes that were handed out. */
export interface OfferedTransfer {
  transfer: ColdTransfer
  outgoing: Outgoing
  attempt: Attempt
  /** Bitcoin: the previous transactions of its coins, without witnesses, by txid; empty once no signature is awaited */
  previous: ReadonlyMap<string, Uint8Array>
}

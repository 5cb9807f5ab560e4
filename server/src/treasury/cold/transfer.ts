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
  /** why nothing came of it */
  ended: 'cancelled' | 'expired' | 'overtaken' | null
  createdAt: Date
}

/** With what was handed out to be signed. */
export interface OfferedTransfer {
  transfer: ColdTransfer
  outgoing: Outgoing
  attempt: Attempt
  /**
   * Bitcoin: the transactions its coins come from, without witnesses, by txid; empty once nothing waits for a signature
   */
  previous: ReadonlyMap<string, Uint8Array>
}

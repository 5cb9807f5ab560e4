import type { Network } from '@bursar/chainkit'
import type { WithdrawalState } from './machine.ts'

/** Amounts in the asset's ledger units. */
export interface Withdrawal {
  merchantId: string
  id: string
  ticker: string
  blockchain: Network
  to: string
  units: bigint
  fee: bigint
  localId: string | null
  meta: string | null
  state: WithdrawalState
  failReason: string | null
  internal: boolean
  holdId: string
  outgoingId: string | null
  /** Done has been sent once: a second mining after a reorganisation sends none */
  doneSent: boolean
  createdAt: Date
}

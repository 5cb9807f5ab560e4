import type { Network } from '@bursar/chainkit'
import type { AssetOnNetwork, CryptoAsset } from '../../market/assets/index.ts'
import type { WithdrawalState } from './machine.ts'

/** The checked destination of a withdrawal. */
export interface Place {
  where: { asset: CryptoAsset; on: AssetOnNetwork }
  /** in canonical form */
  to: string
  /** as the request stated it */
  asSent: string
  /** to another merchant of this installation */
  internal: boolean
}

/** The larger order that a withdrawal is a part of: the kind, object and fixed fields of the notifications about it. */
export interface NotifiedAs {
  kind: string
  objectId: string
  body: Record<string, unknown>
}

/** Amounts in the asset's ledger units. */
export interface Withdrawal {
  merchantId: string
  id: string
  /** UUID by which the signer knows the payment */
  intentId: string
  ticker: string
  blockchain: Network
  /** canonical */
  to: string
  /** as the merchant wrote it, if it is shown differently from `to` */
  toAsSent?: string | null
  units: bigint
  fee: bigint
  localId: string | null
  meta: string | null
  state: WithdrawalState
  failReason: string | null
  internal: boolean
  holdId: string
  outgoingId: string | null
  /** Done has been sent: a second mining after a reorganisation sends none */
  doneSent: boolean
  /** null: it is notified as a withdrawal */
  notifiedAs: NotifiedAs | null
  createdAt: Date
}

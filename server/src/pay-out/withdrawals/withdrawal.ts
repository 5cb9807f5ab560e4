import type { Network } from '@bursar/chainkit'
import type { AssetOnNetwork, CryptoAsset } from '../../market/assets/index.ts'
import type { WithdrawalState } from './machine.ts'

/** Where a withdrawal goes, judged. */
export interface Place {
  where: { asset: CryptoAsset; on: AssetOnNetwork }
  /** canonical */
  to: string
  /** as it was given */
  asSent: string
  /** to another merchant of this service */
  internal: boolean
}

/** What a withdrawal is a part of: the kind, object and fixed fields of the notifications that tell how it goes. */
export interface NotifiedAs {
  kind: string
  objectId: string
  body: Record<string, unknown>
}

/** Amounts in the asset's ledger units. */
export interface Withdrawal {
  merchantId: string
  id: string
  /** UUID that the signer knows the payment by */
  intentId: string
  ticker: string
  blockchain: Network
  /** canonical */
  to: string
  /** as its merchant wrote it, where it is shown otherwise than `to` */
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
  /** Done has been sent once: a second mining after a reorganisation sends none */
  doneSent: boolean
  /** null: it is notified as what it is */
  notifiedAs: NotifiedAs | null
  createdAt: Date
}

import type { CausedBy } from '../exchange-withdrawals/index.ts'
import type { ConversionState } from './machine.ts'

/** The target asset of received money, and its destination. */
export interface Target {
  ticker: string
  address: string | null
  blockchain: string | null
}

export interface Conversion {
  merchantId: string
  /** the id of the deposit or payment */
  id: string
  causedBy: CausedBy
  causeId: string
  ticker: string
  /** left to convert, ledger units of `ticker` */
  units: bigint
  target: Target
  state: ConversionState
  failedReason: string | null
  createdAt: Date
  /** when its invoice was paid; null when it did not wait for an invoice */
  releasedAt: Date | null
}

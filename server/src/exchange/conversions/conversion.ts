import type { CausedBy } from '../exchange-withdrawals/index.ts'
import type { ConversionState } from './machine.ts'

/** What received money is to be converted to, and sent to. */
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

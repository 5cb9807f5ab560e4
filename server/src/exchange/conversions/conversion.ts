import type { CausedBy } from '../exchange-withdrawals/index.ts'
import type { ConversionState } from './machine.ts'

/** What received money is to become. */
export interface Target {
  ticker: string
  address: string | null
  blockchain: string | null
}

export interface Conversion {
  merchantId: string
  /** the deposit's or the payment's */
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
  /** when its invoice was paid; null where nothing had to be waited for */
  releasedAt: Date | null
}

import type { Side } from './pricing.ts'
import type { PriceBasis } from './quoting.ts'

/**
 * An exchange that was filled, or could not be. Amounts in ledger units, prices in 1e-8 of the pair's second for one
 * first.
 */
export interface Exchange {
  merchantId: string
  id: string
  spendTicker: string
  targetTicker: string
  side: Side
  /** without the fee */
  exchange: bigint
  fee: bigint
  target: bigint
  first: string
  second: string
  price: bigint
  market: bigint
  basis: PriceBasis
  state: 'done' | 'failed'
  failedReason: string | null
  localId: string | null
  meta: string | null
  /** of the ledger */
  transferId: string
  /** of the API key that signed for it, null: none */
  keyId: string | null
  createdAt: Date
}

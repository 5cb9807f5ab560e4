import type { Side } from './pricing.ts'
import type { PriceBasis } from './quoting.ts'

/**
 * A filled or failed exchange. Amounts are ledger units. A price is the number of 1e-8 units of the pair's second asset
 * for one whole unit of its first asset.
 */
export interface Exchange {
  merchantId: string
  id: string
  spendTicker: string
  targetTicker: string
  side: Side
  /** the exchanged amount, without the fee */
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
  /** of the ledger transfer */
  transferId: string
  /** of the API key that signed the request, null: none */
  keyId: string | null
  createdAt: Date
}

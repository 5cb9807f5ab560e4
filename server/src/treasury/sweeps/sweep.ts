import type { Network } from '@bursar/chainkit'
import type { SweepState } from './machine.ts'

export interface Sweep {
  id: string
  network: Network
  asset: string
  address: string
  merchantId: string
  /** of the key of the deposit account */
  derivationIndex: number
  /** ledger units */
  units: bigint
  way: string
  state: SweepState
  fundingId: string | null
  outgoingId: string | null
}

/** What a deposit address holds of one asset in final blocks, and nothing sweeps yet. */
export interface Holding {
  asset: string
  /** ledger units */
  units: bigint
  /** since when some of it waits */
  since: Date
  /** sweeps of it that came to nothing since the last that worked */
  failures: number
}

export interface Holder {
  address: string
  merchantId: string
  derivationIndex: number
  /** how often anything of it was swept before */
  sweptBefore: number
  holdings: Holding[]
}

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

/** The final balance of a deposit address in one asset that no sweep has taken yet. */
export interface Holding {
  asset: string
  /** ledger units */
  units: bigint
  /** since when any part of it has waited */
  since: Date
  /** failed sweeps of it since the last successful one */
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

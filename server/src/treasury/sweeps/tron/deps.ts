import type { TronChainAdapter } from '../../../adapters/chains/port.ts'
import type { Catalogue } from '../../../market/assets/index.ts'
import type { PausePoint } from '../../../chain/transactions/index.ts'
import type { Runtime } from '../../../platform/runtime/runtime.ts'
import type { SweepPolicy } from '../policy.ts'

/** The sweeps that the signer's policy allows. */
export interface TronSweepPermission {
  /** tickers */
  assets: ReadonlySet<string>
  /** whether the signer delegates energy to deposit addresses, and activates them without a top-up */
  mayDelegateEnergy: boolean
  /** sun */
  maxTopUp: bigint
}

/** Dependencies of sweeps on TRON. */
export interface TronSweepDeps {
  runtime: Runtime
  catalogue: Catalogue
  adapter: TronChainAdapter
  hotAddress: string
  policy: SweepPolicy
  /** sun: no transaction may cost the network more */
  maxFee: bigint
  allowed(): Promise<TronSweepPermission>
  spendable(): Promise<SpendableSun>
  pause: PausePoint
}

/** The amounts that the hot address can send now, after all unconfirmed transactions. */
export interface SpendableSun {
  sun: bigint
  /**
   * number of transactions that were planned from the address before `sun` was read; `isPlannedStill` compares it with
   * the present number
   */
  planned: number
}

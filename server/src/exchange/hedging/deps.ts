import type { Venue } from '../../adapters/venues/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import type { UsdtMarkets } from '../../market/rates/index.ts'
import type { PausePoint } from '../../chain/transactions/index.ts'
import type { HedgePolicy } from './policy.ts'

/** Dependencies of the hedging jobs. */
export interface HedgeDeps {
  runtime: Runtime
  catalogue: Catalogue
  policy: HedgePolicy
  venue: Venue
  usdtMarkets(): Promise<UsdtMarkets>
  pause: PausePoint
}

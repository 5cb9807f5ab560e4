import type { Network } from '@bursar/chainkit'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { BookSource, OfficialSource, RateSource } from '../../adapters/rates/port.ts'
import type { Signer } from '../../adapters/signer/port.ts'
import type { Venue } from '../../adapters/venues/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { ExchangePolicy } from '../../exchange/exchanges/index.ts'
import type { HedgePolicy } from '../../exchange/hedging/index.ts'
import type { ClaimTokens } from '../../pay-in/crypto-invoices/index.ts'
import type { PausePoint, WalletKeys } from '../../chain/transactions/index.ts'
import type { OffsetClock } from '../../platform/runtime/clock.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import type { Policies } from './policy.ts'
import type { AgreementRules } from '../../market/rates/index.ts'
import type { Delivery } from '../../merchants/webhooks/index.ts'
import type { AddressHolders } from '../../pay-out/withdrawals/index.ts'
import type { Acquirers } from './fiat.ts'
import type { ScreeningWorld } from './screening.ts'

/** Dependencies of every role. */
export interface World {
  runtime: Runtime & { clock: OffsetClock }
  catalogue: Catalogue
  policies: Policies
  exchange: ExchangePolicy
  /** null: no hedging */
  hedging: HedgePolicy | null
  wallet: WalletKeys
  /** our public URL for payers and acquirers, without a trailing slash */
  publicUrl: string
  acquirers: Acquirers
  /** keys of card numbers, newest first; null when nothing is paid to cards */
  cardKeys: readonly Uint8Array[] | null
  /** how long a quote of an invoice priced in fiat is valid, ms */
  quoteMs: number
  /** how long after the end of its quote, or of its invoice, a payment may be mined and still count, ms */
  minedWithinMs: number
  claimTokens: ClaimTokens
  /** how the origin of money is screened; null: no screening */
  screening: ScreeningWorld['screening']
}

export interface WorkerDeps {
  adapters: ReadonlyMap<Network, ChainAdapter>
  chainIds: ReadonlyMap<Network, bigint>
  signer: Signer
  sources: readonly RateSource[]
  /** order books, official rates, and overrides of the rules for a market */
  market: {
    books: readonly BookSource[]
    official: readonly OfficialSource[]
    rules: Readonly<Record<string, Partial<AgreementRules>>>
  }
  /** where exchanges are hedged; null: no hedging */
  venue: Venue | null
  delivery: Delivery
  holders: Pick<AddressHolders, 'holderOf'>
  pause: PausePoint
}

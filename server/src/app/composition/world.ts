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

/** What every role is made of. */
export interface World {
  runtime: Runtime & { clock: OffsetClock }
  catalogue: Catalogue
  policies: Policies
  exchange: ExchangePolicy
  /** null: nothing is hedged */
  hedging: HedgePolicy | null
  wallet: WalletKeys
  /** where payers and acquirers reach the api, without a slash at its end */
  publicUrl: string
  acquirers: Acquirers
  /** that seal the numbers of cards, the newest first; null where nothing is paid to cards */
  cardKeys: readonly Uint8Array[] | null
  /** how long a quote of an invoice priced in fiat is valid, ms */
  quoteMs: number
  /** how long after the end of its quote, or of its invoice, a payment may be mined to count so, ms */
  minedWithinMs: number
  claimTokens: ClaimTokens
  /** judges where money comes from; null: no screening */
  screening: ScreeningWorld['screening']
}

export interface WorkerDeps {
  adapters: ReadonlyMap<Network, ChainAdapter>
  chainIds: ReadonlyMap<Network, bigint>
  signer: Signer
  sources: readonly RateSource[]
  /** order books, official rates, and how a leg is judged where it isn't by the standard */
  market: {
    books: readonly BookSource[]
    official: readonly OfficialSource[]
    legs: Readonly<Record<string, Partial<AgreementRules>>>
  }
  /** where exchanges are hedged; null: nowhere */
  venue: Venue | null
  delivery: Delivery
  holders: Pick<AddressHolders, 'holderOf'>
  pause: PausePoint
}

import type { TradingDeps } from '../../exchange/exchanges/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { DashboardDeps } from '../../people/pages/index.ts'

export interface ExchangePagesDeps extends DashboardDeps {
  catalogue: Catalogue
  trading: TradingDeps
}

/** Paths relative to the path of the merchant, `/app/merchants/ID/`. */
export const EXCHANGE_PATH = 'exchange'
export const EXPORT_PATH = `${EXCHANGE_PATH}/export`

/** Exchanges of a page of the list. */
export const PAGE_SIZE = 30

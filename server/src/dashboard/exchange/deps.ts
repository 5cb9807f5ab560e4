import type { TradingDeps } from '../../exchange/exchanges/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { DashboardDeps } from '../../people/pages/index.ts'

export interface ExchangePagesDeps extends DashboardDeps {
  catalogue: Catalogue
  trading: TradingDeps
}

/** Paths relative to the path of the merchant, `/app/merchants/ID/`. */
export const EXCHANGE = 'exchange'
export const EXPORT = `${EXCHANGE}/export`

/** Exchanges of a page of the list. */
export const ROWS = 30

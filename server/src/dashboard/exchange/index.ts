/**
 * The page of exchanges: a price, an exchange at this price or a better one, and all exchanges of the merchant.
 * Guarantees:
 * - the price, the fee and the limits are those of the API, and the list is the API's list;
 * - an exchange needs a recent proof, and is never made at a worse price than the one that was shown;
 * - a form makes one exchange, however often it is sent.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { memberForm, memberPage } from '../frame/index.ts'
import { EXCHANGE_PATH, EXPORT_PATH, type ExchangePagesDeps } from './deps.ts'
import { exchangePage, submitExchange } from './exchange-page.ts'
import { exchangesFile } from './history.ts'

export const exchangePages = (deps: ExchangePagesDeps): PageRoute[] => [
  memberPage(deps, EXCHANGE_PATH, 'see-exchanges', exchangePage(deps)),
  memberForm(deps, EXCHANGE_PATH, 'exchange', submitExchange(deps)),
  memberPage(deps, EXPORT_PATH, 'see-exchanges', exchangesFile(deps)),
]

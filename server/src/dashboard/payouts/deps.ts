import type { Rules } from '../../pay-out/withdrawals/index.ts'
import type { Explorers } from '../payments/index.ts'
import type { CardRules } from '../../cards/card-payouts/index.ts'
import type { SecretBox } from '../../platform/config/secrets.ts'
import type { DashboardDeps } from '../../people/pages/index.ts'

export interface PayoutPagesDeps extends DashboardDeps {
  rules: Rules
  explorers: Explorers
  /** `box`: with the key of card numbers */
  cards: { rules: CardRules; box: Pick<SecretBox, 'seal'> }
}

/** Paths behind that of the merchant. */
export const PAYOUTS = 'payouts'
export const NEW = `${PAYOUTS}/new`
export const GUIDE = `${PAYOUTS}/guide`
export const FILE = `${PAYOUTS}/file`
export const EXAMPLE = `${FILE}/example`
/** The maximum size of a form with a file. */
export const MOST_FILE_BYTES = 512_000
export const BOOK = `${PAYOUTS}/addresses`
export const POLICY = `${PAYOUTS}/policy`
export const ONE = `${PAYOUTS}/requests/{id}`
export const pathOfRequest = (id: string): string => `${PAYOUTS}/requests/${id}`

/** Payouts that were made, by requests or in other ways. */
export const MADE = `${PAYOUTS}/made`
export const MADE_EXPORT = `${MADE}/export`
export const MADE_ONE = `${MADE}/{kind}/{id}`

/** Requests of a page of the list. */
export const ROWS = 30

import type { AccountReader, Limits } from '../account-reader.ts'
import type { AcquirerHttp } from '../http.ts'

/** One shop of Freedom Pay (PayBox.money), as `BURSAR_ACQUIRERS_FILE` has it: KZT in and out. */
export interface FreedomPaySettings {
  name: string
  merchantId: string
  /** for payments */
  secretKey: string
  /** for payouts: another one; undefined where none are made */
  payoutSecretKey: string | undefined
  /** `https://api.freedompay.kz`; `https://test-api.freedompay.kz` is the test system */
  url: string
  /** the shop is in test mode, no money moves */
  testing: boolean
  /** ms between two calls of this process; Freedom Pay asks for 1500 to 2000 */
  spacingMs: number
  /** as agreed with Freedom Pay */
  capabilities: Limits
  http: AcquirerHttp
  /** ms on the real clock, for how long a page lives; Date.now when absent */
  now?: () => number
}

/**
 * The platform's bounds of an invoice and of a card payout (contract 13 and 18); Freedom Pay's own field takes 0.01 to
 * 99999999.
 */
export const FREEDOMPAY_LIMITS: Limits = {
  payIn: { KZT: { least: 12_000_00n, most: 300_000_00n } },
  payout: { KZT: { least: 1_00n, most: 299_000_00n } },
}

/**
 * `{"kind": "freedompay", "merchantId", "secretKeyFile", "payoutSecretKeyFile", "url"?, "testing"?, "spacingMs"?,
 * "payIn"?, "payout"?}`
 */
export const readFreedomPaySettings = (given: AccountReader): FreedomPaySettings => {
  // Payouts are activated by Freedom Pay's manager: they are offered once the account's limits are written down.
  const capabilities = given.limits({ payIn: FREEDOMPAY_LIMITS.payIn, payout: {} }, ['KZT'])
  const hasPayouts = given.optional('payoutSecretKeyFile', '') !== '' || Object.keys(capabilities.payout).length > 0
  return {
    name: given.name,
    merchantId: given.text('merchantId'),
    secretKey: given.secret('secretKey'),
    payoutSecretKey: hasPayouts ? given.secret('payoutSecretKey') : undefined,
    url: given.url('url', 'https://api.freedompay.kz'),
    testing: given.flag('testing', false),
    spacingMs: given.wholeNumber('spacingMs', { least: 0, most: 60_000 }, 2_000),
    capabilities,
    http: given.http(),
  }
}

/** Bounds of single fields, freedompay.kz/docs-en/merchant-api (2026-11-21). */
export const LONGEST_ORDER_ID = 50
export const LONGEST_URL = 255
export const LONGEST_DESCRIPTION = 1_024
export const LIFETIME_SECONDS = { least: 300, most: 604_800 }

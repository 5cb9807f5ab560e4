import type { AccountReader, Limits } from '../account-reader.ts'
import type { AcquirerHttp } from '../http.ts'

/** One merchant of WayForPay, as `BURSAR_ACQUIRERS_FILE` has it: UAH in and out. */
export interface WayForPaySettings {
  name: string
  merchantAccount: string
  secretKey: string
  /** the site's domain as registered with WayForPay, without scheme */
  domain: string
  /** `https://api.wayforpay.com` */
  apiUrl: string
  /** `https://secure.wayforpay.com` */
  payUrl: string
  /**
   * How the payer gets to the page: `form` is posted by the browser and needs no call beforehand; `invoice` is a link
   * that CREATE_INVOICE makes, once for each order.
   */
  page: 'form' | 'invoice'
  /** as agreed with WayForPay */
  capabilities: Limits
  http: AcquirerHttp
  /** ms on the real clock: sent to WayForPay as the time of an order; Date.now when absent */
  now?: () => number
}

/**
 * WayForPay documents no bounds of its own: these are the platform's for an invoice and for a card payout (contract 13
 * and 18).
 */
export const WAYFORPAY_LIMITS: Limits = {
  payIn: { UAH: { least: 25_00n, most: 29_999_00n } },
  payout: { UAH: { least: 1_00n, most: 14_500_00n } },
}

/**
 * `{"kind": "wayforpay", "merchantAccount", "secretKeyFile", "domain", "page"?, "apiUrl"?, "payUrl"?, "payIn"?,
 * "payout"?}`
 */
export const readWayForPaySettings = (given: AccountReader): WayForPaySettings => ({
  name: given.name,
  merchantAccount: given.text('merchantAccount'),
  secretKey: given.secret('secretKey'),
  domain: given.text('domain'),
  apiUrl: given.url('apiUrl', 'https://api.wayforpay.com'),
  payUrl: given.url('payUrl', 'https://secure.wayforpay.com'),
  page: given.choice('page', ['form', 'invoice'], 'form'),
  capabilities: given.limits({ payIn: WAYFORPAY_LIMITS.payIn, payout: {} }, ['UAH']),
  http: given.http(),
})

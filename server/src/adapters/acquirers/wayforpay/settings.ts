import Type, { type Static } from 'typebox'
import { choice, readSecret, safeUrl, secretFile, text } from '../../../platform/config/fields.ts'
import { withRule } from '../../../platform/config/shape.ts'
import { accountMembers, accountOf, offersSomething, type Limits } from '../account.ts'
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
   * How the payer opens the page. `form`: the browser posts a form, without a previous call. `invoice`: a link that
   * CREATE_INVOICE makes, once for each order.
   */
  page: 'form' | 'invoice'
  /** limits agreed with WayForPay */
  capabilities: Limits
  http: AcquirerHttp
  /** ms of the real clock, sent to WayForPay as the time of an order; Date.now when absent */
  now?: () => number
}

/** WayForPay documents no limits. These are the platform's for an invoice and a card payout (contract 13 and 18). */
export const WAYFORPAY_LIMITS: Limits = {
  payIn: { UAH: { least: 25_00n, most: 29_999_00n } },
  payout: { UAH: { least: 1_00n, most: 14_500_00n } },
}

/**
 * Payouts need a separate contract with WayForPay. They are offered once the account's settings state limits for them.
 */
const STANDARD: Limits = { payIn: WAYFORPAY_LIMITS.payIn, payout: {} }
const API_URL = 'https://api.wayforpay.com'
const PAY_URL = 'https://secure.wayforpay.com'
const PAGE = 'form'

export const WAYFORPAY_SHAPE = withRule(
  Type.Object({
    kind: Type.Literal('wayforpay', { description: 'WayForPay, UAH in and out' }),
    ...accountMembers(['UAH'], STANDARD),
    merchantAccount: text("the shop's merchant login"),
    secretKeyFile: secretFile('the file of its secret key'),
    domain: text("the site's domain as registered with WayForPay, without scheme: it is signed"),
    page: Type.Optional(
      choice(
        'how the payer reaches the page: `"form"` is posted by the browser; `"invoice"` is a link requested from WayForPay',
        ['form', 'invoice'],
        { standard: PAGE },
      ),
    ),
    apiUrl: Type.Optional(safeUrl("where WayForPay's API is", { standard: API_URL })),
    payUrl: Type.Optional(safeUrl("where WayForPay's page is", { standard: PAY_URL })),
  }),
  offersSomething(STANDARD),
)

export const readWayForPaySettings = (given: Static<typeof WAYFORPAY_SHAPE>): WayForPaySettings => ({
  ...accountOf(given, STANDARD),
  merchantAccount: given.merchantAccount,
  secretKey: readSecret(given.secretKeyFile),
  domain: given.domain,
  apiUrl: given.apiUrl ?? API_URL,
  payUrl: given.payUrl ?? PAY_URL,
  page: given.page ?? PAGE,
})

import { decimalOf } from '../amount.ts'
import { AcquirerRefusal, type PaymentOrder, type PayoutOrder } from '../port.ts'
import {
  LIFETIME_SECONDS,
  LONGEST_DESCRIPTION,
  LONGEST_ORDER_ID,
  LONGEST_URL,
  type FreedomPaySettings,
} from './settings.ts'

/** The page supports Russian, English and Kazakh. */
const LANGUAGE = { uk: 'en', kk: 'kk', ru: 'ru', en: 'en' } as const

/** `init_payment.php` (freedompay.kz/docs-en/merchant-api/pay, read 2026-11-21). @param now ms */
export const initPayment = (
  settings: FreedomPaySettings,
  order: PaymentOrder,
  now: number,
): Record<string, string> => ({
  pg_order_id: orderId(order.reference),
  pg_amount: decimalOf(order.units),
  pg_currency: order.ticker,
  pg_description: described(order.description, order.reference),
  pg_result_url: address(order.callbackUrl),
  pg_request_method: 'POST',
  pg_success_url: address(order.returnUrl),
  pg_success_url_method: 'GET',
  pg_failure_url: address(order.returnUrl),
  pg_failure_url_method: 'GET',
  pg_lifetime: String(lifetimeSeconds(order.expiresAt - now)),
  pg_language: LANGUAGE[order.language],
  pg_testing_mode: settings.testing ? '1' : '0',
  // Without it the money is only held, and captured days later.
  pg_auto_clearing: '1',
  pg_idempotency_key: order.reference,
  ...(order.email === undefined ? {} : { pg_user_contact_email: order.email }),
})

/** `g2g/p2p2nonreg` (freedompay.kz/docs-en/gateway-api/payout, read 2026-11-21). */
export const payoutTo = (order: PayoutOrder): Record<string, string> => ({
  pg_order_id: orderId(order.reference),
  pg_amount: decimalOf(order.units),
  pg_currency: order.ticker,
  pg_payment_to: order.card,
  pg_description: described(order.description, order.reference),
  pg_post_link: address(order.callbackUrl),
  pg_idempotency_key: order.reference,
})

const orderId = (reference: string): string => {
  if (reference.length > LONGEST_ORDER_ID)
    throw new AcquirerRefusal('order_id', `an order id has at most ${LONGEST_ORDER_ID} characters`)
  return reference
}

const address = (url: string): string => {
  if (url.length > LONGEST_URL) throw new AcquirerRefusal('url', `an address has at most ${LONGEST_URL} characters`)
  return url
}

/**
 * A single-line description of complete characters: a split surrogate pair would be signed differently from how it is
 * sent.
 */
const described = (text: string, reference: string): string =>
  [...text.replace(/\s+/g, ' ').trim()].slice(0, LONGEST_DESCRIPTION).join('') || reference

const lifetimeSeconds = (ms: number): number =>
  Math.min(LIFETIME_SECONDS.most, Math.max(LIFETIME_SECONDS.least, Math.ceil(ms / 1_000)))

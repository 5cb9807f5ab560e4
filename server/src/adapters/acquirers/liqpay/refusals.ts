/**
 * Codes of requests that LiqPay did not accept, liqpay.ua/en/doc/api/errors (2026-11-21): the shop, the key, the
 * request itself, or a limit that is checked before the card. Excluded: `order_id_duplicate`, `payment_processing`,
 * `err_cache`, `wait_info`, `try_again` and all others, after which a payment of this order may exist.
 */
export const LIQPAY_NOT_TAKEN_UP: ReadonlySet<string> = new Set([
  'invalid_signature',
  'public_key_not_found',
  'order_id_empty',
  'shop_blocked',
  'shop_not_active',
  'err_path',
  'user_not_found',
  'limit',
  'frod',
  'decline',
  'err_card_type',
  'err_card_country',
  'err_limit_amount',
  'err_payment_amount_limit',
  'amount_limit',
  'err_amount_hold',
])

/** Codes of refunds that were not begun. */
export const LIQPAY_NO_REFUND: ReadonlySet<string> = new Set([
  'invalid_signature',
  'public_key_not_found',
  'order_id_empty',
  'shop_blocked',
  'shop_not_active',
  'payment_not_found',
  'payment_err_status',
  'err_access',
])

/** Codes about our account rather than the card: another account may be tried. */
export const LIQPAY_ELSEWHERE: ReadonlySet<string> = new Set([
  'invalid_signature',
  'public_key_not_found',
  'shop_blocked',
  'shop_not_active',
  'err_path',
  'user_not_found',
  'err_limit_amount',
  'err_payment_amount_limit',
  'amount_limit',
])

/** Codes about our key or company, which do not concern any payment. */
export const LIQPAY_NOT_BELIEVED: ReadonlySet<string> = new Set([
  'invalid_signature',
  'public_key_not_found',
  'shop_blocked',
  'shop_not_active',
])

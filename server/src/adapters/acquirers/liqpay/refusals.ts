import { refusalKinds } from '../refusal-kinds.ts'

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

/**
 * Codes of refused cards: liqpay.ua/en/doc/api/errors (2026-11-21), whose list in Ukrainian has one reading of every
 * code; `expired` as a code is that of our emulator.
 */
export const LIQPAY_REFUSALS = refusalKinds({
  declined: ['90', '9854', '9868', '9872', '9961'],
  funds: ['9859'],
  expired: ['9851'],
  blocked: ['111', '9863'],
  details: ['err_card', 'err_card_bin', '9852', '9989'],
  unsupported: [
    'err_card_type',
    'err_card_country',
    'err_card_liqpay_def',
    'payment_err_sender_card',
    'err_payment_currency',
    '5',
    '105',
    '3914',
    '9855',
    '9857',
  ],
  limit: ['limit', 'amount_limit', '103', '104', '112', '2903', '9860', '9861'],
  confirmation: ['err_mpi', 'err_sms_otp', 'err_verify_code', 'err_get_verify_code'],
  late: [
    'expired',
    'expired_3ds',
    'expired_captcha',
    'expired_cvv',
    'expired_ivr',
    'expired_mp',
    'expired_otp',
    'expired_p24',
    'expired_password',
    'expired_phone',
    'expired_pin',
    'expired_prepared',
    'expired_qr',
    'expired_sender',
    'expired_senderapp',
    '110',
  ],
  security: ['frod', 'decline', '109'],
})

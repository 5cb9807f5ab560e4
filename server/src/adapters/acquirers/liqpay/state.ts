import { minorUnitsOf } from '../amount.ts'
import { maskCard, withoutCards } from '../card-mask.ts'
import { textOf } from '../json-decimals.ts'
import type { AcquirerState } from '../port.ts'

/**
 * Names and meanings: liqpay.ua/en/doc/api/callback and .../information/status, as implemented by McSym28/liqpay-api-ex
 * (2024-08) and Strafe153/liqpay_rs (2025-08).
 */
const CUSTOMER_ACTS = [
  '3ds_verify',
  'otp_verify',
  'cvv_verify',
  'sender_verify',
  'receiver_verify',
  'phone_verify',
  'pin_verify',
  'ivr_verify',
  'captcha_verify',
  'password_verify',
  'senderapp_verify',
  'p24_verify',
  'mp_verify',
  'wait_qr',
  'wait_sender',
]
/**
 * `wait_accept`: the card is charged, but the shop is not verified yet, and after 60 days the payer is refunded. It
 * does not count as paid.
 */
const WAITS = [
  'prepared',
  'processing',
  'wait_accept',
  'wait_secure',
  'wait_card',
  'wait_compensation',
  'wait_lc',
  'wait_reserve',
  'hold_wait',
  'cash_wait',
  'invoice_wait',
  'try_again',
]
export const LIQPAY_WAITING: ReadonlySet<string> = new Set([...CUSTOMER_ACTS, ...WAITS])

/** A record from LiqPay; its numbers are strings as written. */
export type LiqPayRecord = Readonly<Record<string, unknown>>

/** Context for reading a record. */
export interface LiqPayReading {
  /** the receiver pays the commission of a payment, the sender that of a payout */
  direction: 'payIn' | 'payout'
  /** a sandbox account, where status `sandbox` means `success` */
  isSandbox: boolean
}

/** Returns the payment's state by a record. An unrecognised word or amount gives `unknown`. */
export const readLiqPayState = (record: LiqPayRecord, { direction, isSandbox }: LiqPayReading): AcquirerState => {
  const status = textOf(record, 'status')
  if (status === 'success' || status === 'reversed' || (status === 'sandbox' && isSandbox))
    return moved(record, status, direction)
  if (status === 'failure' || status === 'error') return refused(record, direction)
  if (LIQPAY_WAITING.has(status)) return { kind: 'waiting', reason: status }
  return { kind: 'unknown', reason: withoutCards(`status ${status || 'absent'}`) }
}

const moved = (record: LiqPayRecord, status: string, direction: 'payIn' | 'payout'): AcquirerState => {
  const units = minorUnitsOf(textOf(record, 'amount'))
  const acquirerReference = textOf(record, 'payment_id')
  if (textOf(record, 'currency') !== 'UAH') return { kind: 'unknown', reason: 'a currency other than UAH' }
  if (units === undefined || acquirerReference === '') return { kind: 'unknown', reason: 'no amount or payment_id' }
  const fee = minorUnitsOf(textOf(record, direction === 'payIn' ? 'receiver_commission' : 'sender_commission'))
  const backUnits = backOf(record, units)
  if (backUnits === undefined) return { kind: 'unknown', reason: 'a sum that went back, and is not understood' }
  const kind = backUnits === units ? 'reversed' : 'succeeded'
  return {
    kind,
    acquirerReference,
    ticker: 'UAH',
    units,
    feeUnits: fee,
    maskedCard: maskOf(record, direction),
    backUnits,
  }
}

/**
 * Refunded amount: `refund_amount`, or all of it when the payment is reversed and no smaller amount is stated.
 * @returns undefined when it can't be parsed
 */
const backOf = (record: LiqPayRecord, paidUnits: bigint): bigint | undefined => {
  const returned = minorUnitsOf(textOf(record, 'refund_amount') || '0')
  return returned !== undefined && textOf(record, 'status') === 'reversed' && (returned === 0n || returned > paidUnits)
    ? paidUnits
    : returned
}

/**
 * Whether LiqPay has queued a refund, to be paid from the shop's next payments: `wait_reserve` and
 * `wait_reserve_status` of a payment, `wait_amount` of a refund's answer
 * (liqpay.ua/documentation/en/api/aquiring/refund and .../information/status).
 */
export const isReservedForRefund = (record: LiqPayRecord): boolean =>
  textOf(record, 'status') === 'wait_reserve' ||
  [record['wait_reserve_status'], record['wait_amount']].some(
    (flag) => flag === true || flag === 'true' || flag === '1',
  )

/**
 * A failure counts only with the payment's own number. Without one, LiqPay describes the request (no such payment,
 * wrong signature, try later) and not a payment.
 */
const refused = (record: LiqPayRecord, direction: LiqPayReading['direction']): AcquirerState => {
  const acquirerReference = textOf(record, 'payment_id')
  const code = withoutCards(codeOf(record))
  if (acquirerReference === '') return { kind: 'unknown', reason: code }
  return {
    kind: 'refused',
    acquirerReference,
    code,
    message: withoutCards(textOf(record, 'err_description')),
    maskedCard: maskOf(record, direction),
  }
}

/** Error code; older answers have `code` instead of `err_code`. */
export const codeOf = (record: LiqPayRecord): string =>
  textOf(record, 'err_code') || textOf(record, 'code') || textOf(record, 'status')

/** The payer's card of a payment. No published answer has the receiver's mask; it is used where a payout has one. */
const maskOf = (record: LiqPayRecord, direction: LiqPayReading['direction']): string | undefined =>
  maskCard(textOf(record, direction === 'payIn' ? 'sender_card_mask2' : 'receiver_card_mask2') || undefined)

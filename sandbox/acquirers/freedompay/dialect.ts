/**
 * How Freedom Pay (PayBox) speaks: rows of docs/dialects.md.
 * Sources, read 2026-11-21 from stored copies; [D] documented, [U] not verified with the service:
 * - signature, script name, unsigned errors [D] freedompay.kz/docs-en/merchant-api/intro, docs.freedompay.kz/doc-643556
 * - init_payment.php, result_url and its answer, 4 repeats at 30 minutes [D] freedompay.kz/docs-en/merchant-api/pay
 * - get_status3.php [D] freedompay.kz/docs-en/merchant-api/after-pay; revoke.php [D] the same
 * - g2g/p2p2nonreg and its post_link [D] freedompay.kz/docs-en/gateway-api/payout; payout_status2 by pg_order_id [D]
 * the same;
 *   that the answer's pg_status `ok` says only that it was taken up [U]; what repeats an order id [U]: 9403 here
 * - a refund is a payment of its own, negative, with `success`, `process` or `error`, and the newest of its order; one
 * that failed stays in the
 *  list and not in the sum; the payment stays `success`; a refund may show some time after `ok`;
 * `pg_revoke_payment_id`: recorded from
 *  production (orders 18508638, 18508640) by the authors of github.com/vevovip/chaospay, docs/scenarios.md and
 * internal/ports/api/pay (2026)
 * - an error may answer an order that took effect: the same, docs/ex1001.md; any code is sent on demand (`answerCode`)
 * - another card after a refused one is a payment with a number of its own [U]
 * - `revoked` for a payout that came back [U]
 * - a second key for payouts, times of Almaty [U] as clients do it; idempotency by pg_idempotency_key [D], its extent
 * [U]
 * - test cards and the code of 3-D Secure [D] freedompay.kz/docs-en, "Test cards"; 5483180000000294 [U]: of our own
 */
import type { Message } from '../deliveries.ts'
import type { Dialect, TestCard } from '../emulator/context.ts'
import { twoDecimals } from '../emulator/numbers.ts'
import type { Order, Reason } from '../emulator/order.ts'
import { isSigned, scriptOf, sign } from './signature.ts'
import type { Fields } from './signature.ts'
import { readXml } from './xml.ts'

export interface FreedomPayAccount {
  readonly merchantId: string
  readonly secretKey: string
  readonly payoutSecretKey: string
}

const minute = 60_000

const freedompayCards: readonly TestCard[] = [
  { number: '4111111111111111', about: 'paid' },
  { number: '5483180000000294', secure: true, about: 'paid after 3-D Secure' },
  { number: '4563960122001999', refused: 'refused', about: 'rejected' },
  { number: '4000000000009995', refused: 'insufficient-funds', about: 'rejected, too little money' },
]

const failures: Readonly<Record<Reason, readonly [string, string]>> = {
  refused: ['465', 'Rejected by the bank that issued the card'],
  'insufficient-funds': ['466', 'Not enough money'],
  limit: ['420', 'Limit exceeded'],
  'secure-failed': ['10004', '3DS failed'],
}

export function failureOf({ status, reason }: Order): readonly [string, string] {
  return status === 'expired' ? ['360', 'Payment expired'] : failures[reason ?? 'refused']
}

/** Almaty has been five hours ahead of UTC since March 2024. */
export function almatyTime(ms: number): string {
  return new Date(ms + 5 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
}

/** An amount with two decimals or, where there are none, as a whole number: both are in the vendor's samples. */
export function amountText({ number }: Order, units: bigint | string): string {
  return number % 2 === 0 ? twoDecimals(units) : twoDecimals(units).replace(/\.00$/, '')
}

/** A time of Almaty or RFC 3339: both are in the vendor's samples. */
export function timeText({ number }: Order, ms: number): string {
  return number % 2 === 0 ? almatyTime(ms) : `${almatyTime(ms).replace(' ', 'T')}+05:00`
}

export function maskOf({ card }: Order): string {
  return card === undefined ? '' : `${card.first.slice(0, 4)}-${card.first.slice(4)}XX-XXXX-${card.last}`
}

/** Returns the net amount that the shop gets. */
export function netOf({ moved, units, fee }: Order): string {
  return twoDecimals(BigInt(moved ?? units) - BigInt(fee ?? '0'))
}

function salted(script: string, fields: Fields, secretKey: string): Record<string, string> {
  const unsigned = { ...fields, pg_salt: Math.random().toString(36).slice(2, 18) } as Record<string, string>
  return { ...unsigned, pg_sig: sign(script, unsigned, secretKey) }
}

/** The value that result_url gets: 1 is paid, 0 is not. It gets nothing before that. */
function paymentResult(order: Order): Record<string, string> {
  // A payment stays paid when it was given back.
  const isPaid = order.status === 'succeeded' || order.status === 'reversed'
  const moved = order.moved ?? order.units
  const [code, description] = failureOf(order)
  return {
    pg_order_id: order.reference,
    pg_payment_id: String(order.number),
    pg_amount: amountText(order, moved),
    pg_currency: order.currency,
    pg_net_amount: netOf(order),
    pg_ps_amount: twoDecimals(moved),
    pg_ps_full_amount: twoDecimals(moved),
    pg_ps_currency: order.currency,
    pg_description: order.description,
    pg_result: isPaid ? '1' : order.status === 'processing' ? '2' : '0',
    pg_payment_date: timeText(order, order.decidedAt ?? order.createdAt),
    pg_can_reject: isPaid ? '1' : '0',
    pg_user_phone: '',
    pg_need_email_notification: '0',
    pg_testing_mode: '1',
    pg_captured: isPaid ? '1' : '0',
    pg_card_pan: maskOf(order),
    pg_card_brand: 'VI',
    pg_payment_method: 'bankcard',
    pg_reference: String(order.number),
    pg_auth_code: '',
    pg_card_owner: 'EMULATOR',
    ...(isPaid || order.status === 'processing' ? {} : { pg_failure_code: code, pg_failure_description: description }),
  }
}

function payoutResult(order: Order): Record<string, string> {
  const [code, description] = failureOf(order)
  const status = order.status === 'succeeded' ? 'ok' : order.status === 'processing' ? 'process' : 'error'
  return {
    pg_status: status,
    pg_order_id: order.reference,
    pg_payment_id: String(order.number),
    pg_payment_amount: twoDecimals(order.moved ?? order.units),
    pg_currency: order.currency,
    pg_card_hash: maskOf(order),
    pg_payment_date: almatyTime(order.decidedAt ?? order.createdAt),
    pg_balance: '1000000.00',
    ...(status === 'error' ? { pg_error_code: code, pg_error_description: description } : {}),
  }
}

export function freedompayDialect({ secretKey, payoutSecretKey }: FreedomPayAccount): Dialect {
  return {
    name: 'Freedom Pay',
    currency: 'KZT',
    cards: freedompayCards,
    secureCode: '12345678',
    pauses: [30 * minute, 30 * minute, 30 * minute, 30 * minute],
    message: (order): Message => {
      const [fields, key] =
        order.kind === 'payment' ? [paymentResult(order), secretKey] : [payoutResult(order), payoutSecretKey]
      const body = new URLSearchParams(salted(scriptOf(order.callbackUrl), fields, key)).toString()
      return { url: order.callbackUrl, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body }
    },
    spoil: (message) => ({ ...message, body: message.body.replace(/pg_sig=[0-9a-f]{32}/, `pg_sig=${'0'.repeat(32)}`) }),
    isAcknowledged: (status, body) => {
      const fields = readXml(body)
      return (
        status === 200 && (fields['pg_status'] === 'ok' || fields['pg_status'] === 'rejected') && 'pg_sig' in fields
      )
    },
    wayBack: ({ returnUrl, reference, number }) => {
      const back = new URL(returnUrl)
      back.searchParams.set('pg_order_id', reference)
      back.searchParams.set('pg_payment_id', String(number))
      return { url: back.href }
    },
  }
}

/** Returns whether a shop's response to a callback is signed with the callback's script name. */
export function isSignedAnswer(callbackUrl: string, body: string, secretKey: string): boolean {
  return isSigned(scriptOf(callbackUrl), readXml(body), secretKey)
}

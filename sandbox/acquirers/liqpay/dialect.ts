/**
 * How LiqPay speaks: rows A-16, A-17 and A-18 of docs/dialects.md. Sources, read 2026-11-21 from stored copies; [D]
 * documented, [U] not verified with the service:
 * - data and signature, version 3 [D] liqpay.ua/documentation/en/data_signature; version 7, SHA3-256 [D]
 * liqpay.ua/en/doc/api
 *   as rebuilt by Strafe153/liqpay_rs (2025-08); which of them signs callbacks [U]: `version` decides here
 * - fields and statuses of answers and callbacks [D] liqpay.ua/en/doc/api/callback, McSym28/liqpay-api-ex (2024-08)
 * - callbacks as a form until HTTP 200 [D] liqpay.ua/documentation/en/api/callback; their pauses [U]
 * - test cards [D] liqpay.ua/documentation/en/api/sandbox; the codes of 3-D Secure and OTP [U]
 * - a refund in the queue for the shop's next payments [D] liqpay.ua/documentation/en/api/aquiring/refund;
 * `wait_amount` of its answer,
 *  status `wait_reserve` and `wait_reserve_status` of the payment [D] liqpay.ua/en/doc/api/information/status; which of
 * the two
 *  last a queued refund has [U]: the whole shows the status here, a part the flag, as the sample of that page
 * (`success`, `true`)
 * - the flag as a truth value, a text or nothing, and times as numbers or texts: samples of the same pages and clients'
 * tests
 * - several payments, each with a `payment_id`, under one order after a card was refused [U]
 * - err_code [D] liqpay.ua/en/doc/api/errors; `expired` as a code [U]; refund_amount as a sum of all refunds [U]
 */
import type { Dialect, TestCard } from '../emulator/context.ts'
import { number, shortest } from '../emulator/numbers.ts'
import { pendingUnits } from '../emulator/order.ts'
import type { Order, Reason, Status } from '../emulator/order.ts'
import type { Message } from '../deliveries.ts'
import { sign } from './signature.ts'

export interface LiqPayAccount {
  readonly publicKey: string
  readonly privateKey: string
  readonly version: 3 | 7
}

const minute = 60_000

const liqpayCards: readonly TestCard[] = [
  { number: '4242424242424242', about: 'success' },
  { number: '4000000000003063', secure: true, about: 'success after 3-D Secure' },
  { number: '4000000000003089', secure: true, about: 'success after a password by SMS' },
  { number: '4000000000003055', secure: true, about: 'success after the CVV' },
  { number: '4000000000000002', refused: 'limit', about: 'failure, limit' },
  { number: '4000000000009995', refused: 'insufficient-funds', about: 'failure, 9859' },
]

const errors: Readonly<Record<Reason, readonly [string, string]>> = {
  limit: ['limit', 'The limit for the amount or number of customer payments has been exceeded'],
  refused: ['decline', 'The transaction is defined as atypical/risky according to the Anti-Fraud system of the Bank'],
  'insufficient-funds': ['9859', 'Insufficient funds'],
  'secure-failed': ['expired_3ds', '3DS confirmation failed'],
}

const statuses: Readonly<Record<Status, string>> = {
  created: 'prepared',
  secure: '3ds_verify',
  processing: 'processing',
  succeeded: 'success',
  refused: 'failure',
  expired: 'failure',
  reversed: 'reversed',
}

/** Floats with a decimal at least: 100.0, 100.5, 100.37. */
const float = (units: bigint | string): unknown =>
  number(shortest(units).includes('.') ? shortest(units) : `${shortest(units)}.0`)

/** A payment as the API and callbacks report it. */
export function record({ publicKey, version }: LiqPayAccount, order: Order): Record<string, unknown> {
  const isPayout = order.kind === 'payout'
  const moved = order.moved ?? order.units
  const fee = order.fee ?? '0'
  const [code, description] =
    order.status === 'expired' ? ['expired', 'The payment was not made in time'] : errors[order.reason ?? 'refused']
  return {
    result: 'ok',
    action: isPayout ? 'p2pcredit' : 'pay',
    status: isWholeQueued(order) ? 'wait_reserve' : statuses[order.status],
    version,
    public_key: publicKey,
    acq_id: 414_963,
    order_id: order.reference,
    liqpay_order_id: `EMU${order.number}`,
    payment_id: order.number,
    transaction_id: order.number,
    type: isPayout ? 'p2pcredit' : 'buy',
    paytype: 'card',
    description: order.description,
    currency: order.currency,
    amount: float(moved),
    sender_commission: float(isPayout ? fee : '0'),
    receiver_commission: float(isPayout ? '0' : fee),
    agent_commission: float('0'),
    amount_debit: float(moved),
    amount_credit: float(moved),
    currency_debit: order.currency,
    currency_credit: order.currency,
    commission_debit: float('0'),
    commission_credit: float(fee),
    mpi_eci: '7',
    is_3ds: false,
    language: 'uk',
    create_date: order.createdAt,
    ...maskOf(order),
    ...(order.refunded === '0' ? {} : { refund_amount: float(order.refunded) }),
    ...(order.decidedAt === undefined ? {} : { end_date: order.decidedAt }),
    ...spelt(order),
    ...(pendingUnits(order) === 0n ? {} : flags[order.number % flags.length]),
    ...(statuses[order.status] === 'failure' ? { err_code: code, err_description: description } : {}),
  }
}

let spellings = 0

/** Numbers and times are numbers in one answer and texts in the next. */
function spelt({ number: id, moved, units, createdAt, decidedAt }: Order): Record<string, unknown> {
  spellings += 1
  if (spellings % 2 === 0) return {}
  const end = decidedAt === undefined ? {} : { end_date: new Date(decidedAt).toISOString() }
  return {
    payment_id: String(id),
    transaction_id: String(id),
    amount: shortest(moved ?? units),
    create_date: String(createdAt),
    ...end,
  }
}

/** The queue's flag is a text, a truth value, or absent. */
const flags = [{ wait_reserve_status: 'true' }, { wait_reserve_status: true }, {}] as const

function isWholeQueued(order: Order): boolean {
  return pendingUnits(order) > 0n && pendingUnits(order) + BigInt(order.refunded) === BigInt(order.moved ?? '0')
}

function maskOf({ kind, card }: Order): Record<string, string> {
  if (card === undefined) return {}
  const mask = `${card.first}*${card.last.slice(-2)}`
  return kind === 'payout' ? { receiver_card_mask2: mask } : { sender_card_mask2: mask, sender_card_type: 'visa' }
}

export function liqpayDialect(account: LiqPayAccount): Dialect {
  const formOf = (data: string, privateKey: string): string =>
    new URLSearchParams({ data, signature: sign(account.version, privateKey, data) }).toString()
  return {
    name: 'LiqPay',
    currency: 'UAH',
    cards: liqpayCards,
    secureCode: '1234',
    pauses: [minute, 5 * minute, 15 * minute, 60 * minute, 6 * 60 * minute, 24 * 60 * minute],
    message: (order): Message => ({
      url: order.callbackUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: formOf(Buffer.from(JSON.stringify(record(account, order))).toString('base64'), account.privateKey),
    }),
    spoil: (message) => ({
      ...message,
      body: formOf(new URLSearchParams(message.body).get('data') ?? '', `${account.privateKey}?`),
    }),
    isAcknowledged: (status) => status === 200,
    wayBack: ({ returnUrl }) => ({ url: returnUrl }),
  }
}

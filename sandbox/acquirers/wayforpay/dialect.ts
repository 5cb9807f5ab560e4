/**
 * How WayForPay speaks: rows A-13, A-14 and A-15 of docs/dialects.md. Sources, read 2026-11-21 from stored copies; [D]
 * documented, [U] not verified with the service:
 * - purchase, callback, its signature and the signed accept [D] wiki.wayforpay.com/en/view/852102
 * - CHECK_STATUS [D] .../852117; P2P_CREDIT's request [D] .../852064; statuses and codes [D] .../852131
 * - P2P_CREDIT's answer is signed over dates in place of the card: AratKruglik/WayForPaySDK (2025), [U]
 * - a callback is JSON under a form's content type: captured in production on 2026-08-17, tests of hide-mail.org
 * - the payer is sent back by a POST with the same fields [D] github.com/wayforpay/php-sdk, examples/returnUrl.php
 * - `RefundInProcessing` while the shop's balance is too small for a refund [D] .../852131; its code 1138 [D] the same
 * page
 * - statuses come in either case [D], the same page has both; `Created` for an order that was not paid: clients, [U]
 * - a part can't be voided, 1141 [D] .../852131; a refund made in the cabinet shows as `Refunded` without a sum, a part
 * too [U]
 * - pauses between callbacks [U]; test cards [U]: of our own; what CHECK_STATUS says of an order that is not paid yet
 *   [U]
 */
import type { Message } from '../deliveries.ts'
import type { Dialect, TestCard } from '../emulator/context.ts'
import { number, readJson, shortest, textOf } from '../emulator/numbers.ts'
import { pendingUnits } from '../emulator/order.ts'
import type { Order, Reason, Status } from '../emulator/order.ts'
import { isSigned, sign } from './signature.ts'

export interface WayForPayAccount {
  readonly merchantAccount: string
  readonly secretKey: string
  readonly domain: string
}

const minute = 60_000

const wayforpayCards: readonly TestCard[] = [
  { number: '4111111111111111', about: 'Approved' },
  { number: '5555555555554444', secure: true, about: 'Approved after 3-D Secure' },
  { number: '4000000000000002', refused: 'refused', about: 'Declined, 1101' },
  { number: '4000000000009995', refused: 'insufficient-funds', about: 'Declined, 1104' },
]

const reasons: Readonly<Record<Reason, readonly [number, string]>> = {
  refused: [1101, 'Declined To Card Issuer'],
  'insufficient-funds': [1104, 'Insufficient Funds'],
  limit: [1135, 'Card Limits Failed'],
  'secure-failed': [1108, '3DS Secure Failed'],
}

const statuses: Readonly<Record<Status, string>> = {
  created: 'InProcessing',
  secure: 'InProcessing',
  processing: 'Pending',
  succeeded: 'Approved',
  refused: 'Declined',
  expired: 'Expired',
  reversed: 'Refunded',
}

/** The status, reason and code of a refund that waits for the shop's balance. */
export const refundInProcessing = ['RefundInProcessing', 'Refund is in processing', 1138] as const

function reasonOf({ status, reason }: Order): readonly [number, string] {
  if (status === 'refused') return reasons[reason ?? 'refused']
  if (status === 'expired') return [1124, 'Cardholder Session Expired']
  if (status === 'secure') return [5100, 'Wait 3ds data']
  if (status === 'created') return [1131, 'Transaction Is In Processing']
  return status === 'processing' ? [1134, 'Transaction Is Pending'] : [1100, 'Ok']
}

/** Returns a transaction as in CHECK_STATUS and callbacks, unsigned. */
export function record({ merchantAccount }: WayForPayAccount, order: Order): Record<string, unknown> {
  const isOutside = order.status === 'succeeded' && (order.refunds ?? []).some((refund) => refund.isOutside)
  const [status, reason, code] = isOutside
    ? (['Refunded', 'Ok', 1100] as const)
    : pendingUnits(order) === 0n
      ? [statuses[order.status], ...reasonOf(order).toReversed()]
      : refundInProcessing
  const spelt = [status, status.toLowerCase(), status === 'InProcessing' ? 'Created' : status][order.number % 3]!
  const isDone = order.status === 'succeeded' || order.status === 'reversed'
  return {
    merchantAccount,
    orderReference: order.reference,
    amount: number(shortest(order.moved ?? order.units)),
    currency: order.currency,
    authCode: isDone ? String(order.number).slice(-6) : '',
    email: null,
    phone: null,
    createdDate: Math.floor(order.createdAt / 1_000),
    processingDate: Math.floor((order.decidedAt ?? order.createdAt) / 1_000),
    cardPan: order.card === undefined ? '' : `${order.card.first.slice(0, 2)}****${order.card.last}`,
    cardType: order.card === undefined ? null : 'Visa',
    issuerBankCountry: 'Ukraine',
    issuerBankName: 'EMULATOR',
    recToken: '',
    transactionStatus: spelt,
    reason,
    reasonCode: code,
    fee: number(shortest(order.fee ?? '0')),
    paymentSystem: 'card',
  }
}

const signedFields = [
  'merchantAccount',
  'orderReference',
  'amount',
  'currency',
  'authCode',
  'cardPan',
  'transactionStatus',
  'reasonCode',
]
const signedPayoutFields = [
  'merchantAccount',
  'orderReference',
  'amount',
  'currency',
  'authCode',
  'createdDate',
  'processingDate',
  'transactionStatus',
  'reasonCode',
]

/** Signs the fields with the numbers' text from the JSON. */
export function signed(
  account: WayForPayAccount,
  unsigned: Record<string, unknown>,
  names: readonly string[] = signedFields,
): string {
  const asWritten = readJson(JSON.stringify(unsigned)) ?? {}
  return JSON.stringify({
    ...unsigned,
    merchantSignature: sign(
      account.secretKey,
      names.map((name) => textOf(asWritten, name)),
    ),
  })
}

export function payoutAnswer(account: WayForPayAccount, order: Order): string {
  return signed(account, record(account, order), signedPayoutFields)
}

export function wayforpayDialect(account: WayForPayAccount): Dialect {
  return {
    name: 'WayForPay',
    currency: 'UAH',
    cards: wayforpayCards,
    secureCode: '1234',
    pauses: [minute, 5 * minute, 15 * minute, 60 * minute, 6 * 60 * minute, 24 * 60 * minute],
    message: (order): Message => ({
      url: order.callbackUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: signed(account, record(account, order)),
    }),
    spoil: (message) => ({
      ...message,
      body: message.body.replace(
        /"merchantSignature":"[^"]*"/,
        '"merchantSignature":"00000000000000000000000000000000"',
      ),
    }),
    isAcknowledged: (status, body) => {
      const answer = readJson(body) ?? {}
      const fields = [textOf(answer, 'orderReference'), textOf(answer, 'status'), textOf(answer, 'time')]
      return (
        status === 200 && fields[1] === 'accept' && isSigned(account.secretKey, fields, textOf(answer, 'signature'))
      )
    },
    wayBack: (order) => {
      const fields = readJson(signed(account, record(account, order))) ?? {}
      return {
        url: order.returnUrl,
        fields: Object.fromEntries(Object.keys(fields).map((name) => [name, textOf(fields, name)])),
      }
    },
  }
}

import { minorUnitsOf } from '../amount.ts'
import { readJsonDecimals, textOf } from '../json-decimals.ts'
import { formatUnits } from '../../../platform/money/index.ts'
import { isWayForPaySignature } from './signature.ts'

/** An answer or a callback; its numbers are strings as written. */
export type WayForPayRecord = Readonly<Record<string, unknown>>

/** Signed fields of callbacks and CHECK_STATUS (wiki.wayforpay.com/en/view/852102 and 852117, read 2026-11-21). */
const PAYMENT_FIELDS = [
  'merchantAccount',
  'orderReference',
  'amount',
  'currency',
  'authCode',
  'cardPan',
  'transactionStatus',
  'reasonCode',
]
/**
 * Signed fields of P2P_CREDIT's answer, by AratKruglik/WayForPaySDK (2025): dates instead of the card. No published
 * document confirms this.
 */
const PAYOUT_FIELDS = [
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
/** Signed fields of REFUND's answer (wiki.wayforpay.com/en/view/852115). */
const REFUND_FIELDS = ['merchantAccount', 'orderReference', 'transactionStatus', 'reasonCode']

/**
 * Whether WayForPay signed the record. The amount is signed as it is written in the raw JSON. A sender that prints a
 * float again signs 100 for 100.00, so both forms of the same amount are accepted.
 */
export const isSigned = (
  secretKey: string,
  record: WayForPayRecord,
  kinds: readonly ('payment' | 'payout' | 'refund')[] = ['payment'],
): boolean => {
  const FIELDS = { payment: PAYMENT_FIELDS, payout: PAYOUT_FIELDS, refund: REFUND_FIELDS }
  const ways = kinds.flatMap((kind) =>
    waysToWrite(record).map((amount) =>
      FIELDS[kind].map((name) => (name === 'amount' ? amount : textOf(record, name))),
    ),
  )
  return isWayForPaySignature(secretKey, textOf(record, 'merchantSignature'), ways)
}

const waysToWrite = (record: WayForPayRecord): string[] => {
  const written = textOf(record, 'amount')
  const units = minorUnitsOf(written)
  return units === undefined ? [written] : [written, formatUnits(units, 2)]
}

/**
 * Parses a body as JSON, for any content type: callbacks are JSON with a form's content type (seen in production
 * 2026-08-17 by hide-mail.org, whose tests contain one). Throws a SyntaxError for anything else.
 */
export const readWayForPayBody = (body: Buffer): WayForPayRecord => {
  const text = body.toString('utf8').trim()
  return readJsonDecimals(
    text.startsWith('%7B') ? decodeURIComponent(text.replaceAll('+', ' ').replace(/=$/, '')) : text,
  )
}

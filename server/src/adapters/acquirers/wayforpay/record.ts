import { minorUnitsOf } from '../amount.ts'
import { readJsonDecimals, textOf } from '../json-decimals.ts'
import { formatUnits } from '../../../platform/money/index.ts'
import { isWayForPaySignature } from './signature.ts'

/** An answer or a callback, its numbers as written. */
export type WayForPayRecord = Readonly<Record<string, unknown>>

/** What callbacks and CHECK_STATUS sign (wiki.wayforpay.com/en/view/852102 and 852117, read 2026-11-21). */
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
 * What P2P_CREDIT's answer signs, as AratKruglik/WayForPaySDK reads it (2025): dates in place of the card. Never seen
 * in a published document here.
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
/** What REFUND's answer signs (wiki.wayforpay.com/en/view/852115). */
const REFUND_FIELDS = ['merchantAccount', 'orderReference', 'transactionStatus', 'reasonCode']

/**
 * Whether the record is signed by WayForPay. The amount goes into the signature as it stands in the raw JSON; a sender
 * that prints a float anew signs 100 for 100.00, so that both ways of writing the same amount are taken.
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
 * A body as JSON, whatever it is labelled: callbacks come as JSON under a form's content type (seen in production
 * 2026-08-17 by hide-mail.org, whose tests keep one). Throws a SyntaxError when it is none.
 */
export const readWayForPayBody = (body: Buffer): WayForPayRecord => {
  const text = body.toString('utf8').trim()
  return readJsonDecimals(
    text.startsWith('%7B') ? decodeURIComponent(text.replaceAll('+', ' ').replace(/=$/, '')) : text,
  )
}

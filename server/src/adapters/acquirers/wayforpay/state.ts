import { minorUnitsOf } from '../amount.ts'
import { maskCard, withoutCards } from '../card-mask.ts'
import { textOf } from '../json-decimals.ts'
import type { AcquirerState } from '../port.ts'
import type { WayForPayRecord } from './record.ts'

/**
 * In processing, delayed, pending, refund in processing, awaiting delivery or a decision, 3-D Secure: none ends
 * anything.
 */
const NOT_FINAL: ReadonlySet<string> = new Set(['1131', '1132', '1134', '1138', '1144', '1145', '5100'])
const DONE: ReadonlySet<string> = new Set(['1100', '4100'])

/**
 * Codes of a request that WayForPay didn't take up, wiki.wayforpay.com/en/view/852131 (2026-11-21): format, currency,
 * signature, a parameter missing, API not allowed, merchant restricted, no such account, amount, too little on the
 * merchant's account. Not here: 1112, a duplicate, whose first may have been paid; 1127, order not found.
 */
export const WAYFORPAY_NOT_TAKEN_UP: ReadonlySet<string> = new Set([
  '1109',
  '1110',
  '1113',
  '1115',
  '1116',
  '1117',
  '1118',
  '1121',
  '1130',
  '1136',
])
/** Of those, what is our account's doing: its signature, its rights, its limits, its balance. */
export const WAYFORPAY_ELSEWHERE: ReadonlySet<string> = new Set(['1113', '1117', '1118', '1121', '1130', '1136'])

/** Codes that say nothing of any payment: our signature, our rights, our account. */
export const WAYFORPAY_NOT_BELIEVED: ReadonlySet<string> = new Set(['1113', '1117', '1121'])

/**
 * What a record says of its payment; statuses of wiki.wayforpay.com/en/view/852131, in any case: `inProcessing` is
 * written both ways there.
 */
export const readWayForPayState = (record: WayForPayRecord): AcquirerState => {
  const status = textOf(record, 'transactionStatus').toLowerCase()
  const code = textOf(record, 'reasonCode')
  switch (status) {
    case 'approved':
      return DONE.has(code) ? moved(record, 'succeeded') : unclear(`approved with code ${code}`)
    case 'refunded':
    case 'voided':
      return moved(record, 'reversed')
    // A hold that is not confirmed yet is not paid.
    case 'inprocessing':
    case 'waitingauthcomplete':
    case 'pending':
    case 'refundinprocessing':
    case 'created':
      return { kind: 'waiting', reason: status }
    case 'declined':
    case 'expired':
      return NOT_FINAL.has(code) ? { kind: 'waiting', reason: `code ${code}` } : refused(record, code)
    default:
      return unclear(`status ${status || 'absent'}, code ${code || 'absent'}`)
  }
}

const unclear = (reason: string): AcquirerState => ({ kind: 'unknown', reason: withoutCards(reason) })

const moved = (record: WayForPayRecord, kind: 'succeeded' | 'reversed'): AcquirerState => {
  const units = minorUnitsOf(textOf(record, 'amount'))
  if (textOf(record, 'currency') !== 'UAH') return unclear('a currency other than UAH')
  if (units === undefined) return unclear('no amount')
  // WayForPay gives a transaction no number of its own: the order's is unique with it.
  const acquirerReference = textOf(record, 'orderReference')
  return {
    kind,
    acquirerReference,
    ticker: 'UAH',
    units,
    feeUnits: minorUnitsOf(textOf(record, 'fee')),
    maskedCard: maskCard(textOf(record, 'cardPan')),
  }
}

const refused = (record: WayForPayRecord, code: string): AcquirerState => ({
  ...(WAYFORPAY_ELSEWHERE.has(code) ? { elsewhere: true } : {}),
  kind: 'refused',
  acquirerReference: textOf(record, 'orderReference') || undefined,
  code: withoutCards(code),
  message: withoutCards(textOf(record, 'reason')),
  maskedCard: maskCard(textOf(record, 'cardPan')),
})

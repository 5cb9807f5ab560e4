import { minorUnitsOf } from '../amount.ts'
import { maskCard, withoutCards } from '../card-mask.ts'
import { textOf } from '../json-decimals.ts'
import type { AcquirerState } from '../port.ts'
import { refusalKinds } from '../refusal-kinds.ts'
import type { WayForPayRecord } from './record.ts'

/**
 * Codes that are not final: in processing, delayed, pending, refund in processing, awaiting delivery or a decision, 3-D
 * Secure.
 */
const NOT_FINAL: ReadonlySet<string> = new Set(['1131', '1132', '1134', '1138', '1144', '1145', '5100'])
const DONE: ReadonlySet<string> = new Set(['1100', '4100'])

/**
 * Codes of requests that WayForPay did not accept, wiki.wayforpay.com/en/view/852131 (2026-11-21): format, currency,
 * signature, missing parameter, API not allowed, merchant restricted, no such account, amount, balance of the
 * merchant's account too low. Excluded: 1112, a duplicate whose original may have been paid, and 1127, order not found.
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
/**
 * Codes of refused cards, from the same page: refused by the issuer or the gateway, too little money, expired, blocked,
 * security code or number, frequency or limits of the card, 3-D Secure, cancelled, session over, fraud.
 */
export const WAYFORPAY_REFUSALS = refusalKinds({
  declined: ['1101', '1122'],
  funds: ['1104'],
  expired: ['1103'],
  blocked: ['1146'],
  details: ['1102', '1105'],
  limit: ['1106', '1135'],
  confirmation: ['1108', '1120'],
  cancelled: ['1125'],
  late: ['1124'],
  security: ['1114'],
})
/** Codes whose cause is our account: its signature, rights, limits or balance. */
export const WAYFORPAY_ELSEWHERE: ReadonlySet<string> = new Set(['1113', '1117', '1118', '1121', '1130', '1136'])

/** Codes about our signature, rights or account, which do not concern any payment. */
export const WAYFORPAY_NOT_BELIEVED: ReadonlySet<string> = new Set(['1113', '1117', '1121'])

/**
 * Returns the state of a record's payment. Statuses: wiki.wayforpay.com/en/view/852131. Case is ignored, because that
 * page itself writes `inProcessing` in two ways.
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
    // An unconfirmed hold is not a payment.
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
  // WayForPay has no transaction numbers; the order's reference is unique there.
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

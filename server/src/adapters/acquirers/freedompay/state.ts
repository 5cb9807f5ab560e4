import { minorUnitsOf } from '../amount.ts'
import { maskCard, withoutCards } from '../card-mask.ts'
import type { AcquirerState } from '../port.ts'
import { refusalKinds } from '../refusal-kinds.ts'
import type { FreedomPayFields } from './signature.ts'

/** Returns a field's text; empty for an absent or nested field. */
export const pgText = (fields: FreedomPayFields, name: string): string => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' ? value : ''
}

const unclear = (reason: string): AcquirerState => ({ kind: 'unknown', reason: withoutCards(reason) })
const waiting = (reason: string): AcquirerState => ({ kind: 'waiting', reason: withoutCards(reason) })

/** Returns an amount in minor units; a refund's is negative. */
const amountOf = (fields: FreedomPayFields, ...names: string[]): bigint | undefined =>
  names.map((name) => minorUnitsOf(pgText(fields, name).replace(/^-/, ''))).find((units) => units !== undefined)

/** `get_status3.php` (freedompay.kz/docs-en/merchant-api/after-pay, read 2026-11-21). */
const readPaymentStatus = (fields: FreedomPayFields): AcquirerState => {
  if (pgText(fields, 'pg_status') !== 'ok' || ['', '0'].includes(pgText(fields, 'pg_payment_id')))
    return unclear(codeOf(fields))
  const status = pgText(fields, 'pg_payment_status')
  if (isRefundRecord(fields))
    return {
      kind: 'unknown',
      reason: withoutCards(`the newest payment of the order is a refund, ${status}`),
      isPaid: true,
    }
  switch (status) {
    case 'success':
      return succeeded(fields)
    case 'revoked':
    case 'refunded':
      return givenBack(fields)
    case 'failed':
    case 'error':
      return refused(fields)
    // `incomplete` ends after a lifetime that is not documented, so it decides nothing.
    case 'new':
    case 'pending':
    case 'process':
    case 'partial':
    case 'incomplete':
      return waiting(status)
    default:
      return unclear(`status ${status || 'absent'}`)
  }
}

/** Like `readPaymentStatus`, for one requested payment: an answer about another order or payment decides nothing. */
export const readPaymentStatusOf =
  ({ reference, paymentId }: { reference: string; paymentId: string | undefined }) =>
  (fields: FreedomPayFields): AcquirerState => {
    const [order, payment] = [pgText(fields, 'pg_order_id'), pgText(fields, 'pg_payment_id')]
    const isOther =
      (order !== '' && order !== reference) || (paymentId !== undefined && !['', '0', paymentId].includes(payment))
    return isOther ? unclear('an answer about another payment') : readPaymentStatus(fields)
  }

/**
 * A refund is a separate payment with a negative amount, the newest of its order (recorded from production by the
 * authors of github.com/vevovip/chaospay).
 */
export const isRefundRecord = (fields: FreedomPayFields): boolean => pgText(fields, 'pg_amount').startsWith('-')

/**
 * Total refunded amount of a payment, by the field names that answers use; 0 when none is present.
 * @returns undefined when they disagree, or one can't be parsed
 */
const backOf = (fields: FreedomPayFields): bigint | undefined => {
  const names = ['pg_refund_amount', 'pg_revoked_amount', 'pg_revoke_amount'].filter(
    (name) => pgText(fields, name) !== '',
  )
  const returned = new Set(names.map((name) => amountOf(fields, name)).filter((units) => units !== 0n))
  return returned.size > 1 ? undefined : returned.size === 0 ? 0n : [...returned][0]
}

/** State of a successful payment. A mere hold is not a payment; a payment refunded in full is a reversal. */
const succeeded = (fields: FreedomPayFields): AcquirerState => {
  const units = amountOf(fields, 'pg_amount')
  if (pgText(fields, 'pg_captured') === '0') return waiting('held')
  const backUnits = backOf(fields)
  if (backUnits === undefined) return unclear('the returned amount is not understood')
  return moved(
    fields,
    units !== undefined && backUnits >= units && units > 0n ? 'reversed' : 'succeeded',
    units,
    backUnits,
  )
}

/** State of a refunded payment: refunded in full unless a smaller sum is stated. */
const givenBack = (fields: FreedomPayFields): AcquirerState => {
  const units = amountOf(fields, 'pg_amount')
  const returned = backOf(fields)
  if (returned === undefined) return unclear('the returned amount is not understood')
  const isPart = units !== undefined && returned > 0n && returned < units
  return moved(fields, isPart ? 'succeeded' : 'reversed', units, isPart ? returned : units)
}

/** Reads a call to result_url: pg_result 1 is paid, 0 is refused, any other value is waiting. */
export const readPaymentResult = (fields: FreedomPayFields): AcquirerState => {
  // Its number is the refund's: a query by that number does not find the payment.
  if (isRefundRecord(fields)) return unclear('a callback about a refund')
  const result = pgText(fields, 'pg_result')
  if (result === '1')
    return pgText(fields, 'pg_captured') === '0'
      ? waiting('held')
      : moved(fields, 'succeeded', amountOf(fields, 'pg_amount'))
  return result === '0' ? refused(fields) : waiting(`result ${result || 'absent'}`)
}

/**
 * Reads a payout's state from its status query, its answer or its call to post_link. `status` is the payout's own
 * status.
 */
export const readPayout = (fields: FreedomPayFields, status: string): AcquirerState => {
  switch (status) {
    case 'success':
    case 'ok':
      return moved(fields, 'succeeded', amountOf(fields, 'pg_payment_amount', 'pg_amount'))
    case 'process':
    case 'pending':
    case 'new':
      return waiting(status)
    case 'revoked':
    case 'refunded':
      return moved(fields, 'reversed', amountOf(fields, 'pg_payment_amount', 'pg_amount'))
    case 'error':
    case 'failed':
      return refused(fields)
    default:
      return unclear(`status ${status || 'absent'}`)
  }
}

/** `g2g/payout_status2`, whose pg_status is that of the query itself. */
export const readPayoutStatus =
  (reference: string) =>
  (fields: FreedomPayFields): AcquirerState =>
    !['', reference].includes(pgText(fields, 'pg_order_id'))
      ? unclear('an answer about another payout')
      : pgText(fields, 'pg_status') === 'ok'
        ? readPayout(fields, pgText(fields, 'pg_payment_status'))
        : unclear(`code ${codeOf(fields)}`)

const moved = (
  fields: FreedomPayFields,
  kind: 'succeeded' | 'reversed',
  units: bigint | undefined,
  backUnits?: bigint,
): AcquirerState => {
  const currency = pgText(fields, 'pg_currency')
  if (currency !== '' && currency !== 'KZT') return unclear('a currency other than KZT')
  const acquirerReference = pgText(fields, 'pg_payment_id')
  if (units === undefined || acquirerReference === '' || acquirerReference === '0')
    return unclear('no amount or pg_payment_id')
  const net = amountOf(fields, 'pg_net_amount')
  const feeUnits = net === undefined || net > units ? undefined : units - net
  const maskedCard = maskCard(pgText(fields, 'pg_card_pan') || undefined)
  return {
    kind,
    acquirerReference,
    ticker: 'KZT',
    units,
    feeUnits,
    maskedCard,
    ...(backUnits === undefined ? {} : { backUnits }),
  }
}

const refused = (fields: FreedomPayFields): AcquirerState => ({
  kind: 'refused',
  acquirerReference: pgText(fields, 'pg_payment_id') || undefined,
  code: codeOf(fields),
  message: withoutCards(pgText(fields, 'pg_failure_description') || pgText(fields, 'pg_error_description')),
  maskedCard: maskCard(pgText(fields, 'pg_card_pan') || undefined),
})

export const codeOf = (fields: FreedomPayFields): string =>
  withoutCards(pgText(fields, 'pg_failure_code') || pgText(fields, 'pg_error_code') || 'unspecified')

/**
 * Codes of refused cards whose meaning is documented: expired, cancelled by the payer, limit, 3-D Secure and its
 * attempts, data of the card, frequency, security (the vendor's list of codes). The codes from 465 to 475 are refusals
 * of banks, in an order that no document at hand describes: they count as `declined`.
 */
export const FREEDOMPAY_REFUSALS = refusalKinds({
  details: ['10005'],
  limit: ['420', '10006'],
  confirmation: ['10003', '10004'],
  cancelled: ['400'],
  late: ['360'],
  security: ['10007'],
})

/**
 * Codes that prove that no money moved: the shop (101, 9997), its contract (110, 9996) or the signature (9998) is not
 * accepted, so that the order itself is not read. Meanings: the vendor's list of codes, as clients copied it
 * (matperez/yii2-platron; 9991 to 99999 in PHP enums). Excluded: 120 and 100, which answered orders that took effect
 * (github.com/vevovip/chaospay, docs/ex1001.md and its presets); 9992 to 9995, which the same authors report as
 * unexpected errors; and codes of limits, cards and balances, which are checked while the order is executed. After
 * those, the status of the order decides.
 */
export const FREEDOMPAY_NOT_BEGUN: ReadonlySet<string> = new Set(['101', '110', '9996', '9997', '9998'])

/**
 * The shop is not identified, the only case in which an answer is unsigned: 101 or 9998, depending on the version of
 * the vendor's document.
 */
export const FREEDOMPAY_NOT_IDENTIFIED: ReadonlySet<string> = new Set(['101', '9998'])

/** Errors about our key, shop or contract, which do not concern any payment. */
export const FREEDOMPAY_NOT_BELIEVED: ReadonlySet<string> = new Set(['100', '101', '110', '9996', '9997', '9998'])

import { minorUnitsOf } from '../amount.ts'
import { maskCard, withoutCards } from '../card-mask.ts'
import type { AcquirerState } from '../port.ts'
import type { PgFields } from './signature.ts'

/** A field's text; empty for one that is absent or has fields of its own. */
export const pgText = (fields: PgFields, name: string): string => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' ? value : ''
}

const unclear = (reason: string): AcquirerState => ({ kind: 'unknown', reason: withoutCards(reason) })
const waiting = (reason: string): AcquirerState => ({ kind: 'waiting', reason: withoutCards(reason) })

/** An amount of Freedom Pay's; a refund's is negative. */
const amountOf = (fields: PgFields, ...names: string[]): bigint | undefined =>
  names.map((name) => minorUnitsOf(pgText(fields, name).replace(/^-/, ''))).find((units) => units !== undefined)

/** `get_status3.php` (freedompay.kz/docs-en/merchant-api/after-pay, read 2026-11-21). */
const readPaymentStatus = (fields: PgFields): AcquirerState => {
  if (pgText(fields, 'pg_status') !== 'ok' || ['', '0'].includes(pgText(fields, 'pg_payment_id')))
    return unclear(codeOf(fields))
  const status = pgText(fields, 'pg_payment_status')
  if (isRefundRecord(fields)) return unclear(`the newest payment of the order is a refund, ${status}`)
  switch (status) {
    case 'success':
      return succeeded(fields)
    case 'revoked':
    case 'refunded':
      return givenBack(fields)
    case 'failed':
    case 'error':
      return refused(fields)
    // `incomplete` ends at its lifetime, of which nothing is documented: it is not concluded from.
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

/** The same of the payment that was asked for: an answer that names another order or payment says nothing of it. */
export const readPaymentStatusOf =
  ({ reference, paymentId }: { reference: string; paymentId: string | undefined }) =>
  (fields: PgFields): AcquirerState => {
    const [order, payment] = [pgText(fields, 'pg_order_id'), pgText(fields, 'pg_payment_id')]
    const isOther =
      (order !== '' && order !== reference) || (paymentId !== undefined && !['', '0', paymentId].includes(payment))
    return isOther ? unclear('an answer about another payment') : readPaymentStatus(fields)
  }

/**
 * A refund is a payment of its own with an amount below zero, and the newest of its order (recorded from production by
 * the authors of github.com/vevovip/chaospay).
 */
export const isRefundRecord = (fields: PgFields): boolean => pgText(fields, 'pg_amount').startsWith('-')

/**
 * All that went back of a payment, by the names that answers have for it; 0 where none says anything.
 * @returns undefined when they disagree, or one isn't understood
 */
const backOf = (fields: PgFields): bigint | undefined => {
  const names = ['pg_refund_amount', 'pg_revoked_amount', 'pg_revoke_amount'].filter(
    (name) => pgText(fields, name) !== '',
  )
  const returned = new Set(names.map((name) => amountOf(fields, name)).filter((units) => units !== 0n))
  return returned.size > 1 ? undefined : returned.size === 0 ? 0n : [...returned][0]
}

/** Money that is only held is not paid; money given back in whole is a reversal. */
const succeeded = (fields: PgFields): AcquirerState => {
  const units = amountOf(fields, 'pg_amount')
  if (pgText(fields, 'pg_captured') === '0') return waiting('held')
  const backUnits = backOf(fields)
  if (backUnits === undefined) return unclear('what went back is not understood')
  return moved(
    fields,
    units !== undefined && backUnits >= units && units > 0n ? 'reversed' : 'succeeded',
    units,
    backUnits,
  )
}

/** All of it went back, unless a lesser sum is stated. */
const givenBack = (fields: PgFields): AcquirerState => {
  const units = amountOf(fields, 'pg_amount')
  const returned = backOf(fields)
  if (returned === undefined) return unclear('what went back is not understood')
  const isPart = units !== undefined && returned > 0n && returned < units
  return moved(fields, isPart ? 'succeeded' : 'reversed', units, isPart ? returned : units)
}

/** A call to result_url; pg_result 1 is paid, 0 is not, anything else is waited for. */
export const readPaymentResult = (fields: PgFields): AcquirerState => {
  const result = pgText(fields, 'pg_result')
  if (result === '1')
    return pgText(fields, 'pg_captured') === '0'
      ? waiting('held')
      : moved(fields, 'succeeded', amountOf(fields, 'pg_amount'))
  return result === '0' ? refused(fields) : waiting(`result ${result || 'absent'}`)
}

/** A payout's status, its answer and its call to post_link, where pg_status is the payout's own. */
export const readPayout = (fields: PgFields, status: string): AcquirerState => {
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

/** `g2g/payout_status2`, whose own pg_status says whether it was answered. */
export const readPayoutStatus =
  (reference: string) =>
  (fields: PgFields): AcquirerState =>
    !['', reference].includes(pgText(fields, 'pg_order_id'))
      ? unclear('an answer about another payout')
      : pgText(fields, 'pg_status') === 'ok'
        ? readPayout(fields, pgText(fields, 'pg_payment_status'))
        : unclear(`code ${codeOf(fields)}`)

const moved = (
  fields: PgFields,
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

const refused = (fields: PgFields): AcquirerState => ({
  kind: 'refused',
  acquirerReference: pgText(fields, 'pg_payment_id') || undefined,
  code: codeOf(fields),
  message: withoutCards(pgText(fields, 'pg_failure_description') || pgText(fields, 'pg_error_description')),
  maskedCard: maskCard(pgText(fields, 'pg_card_pan') || undefined),
})

export const codeOf = (fields: PgFields): string =>
  withoutCards(pgText(fields, 'pg_failure_code') || pgText(fields, 'pg_error_code') || 'unspecified')

/**
 * Codes after which no money has moved: the shop (101, 9997), its contract (110, 9996) or the signature (9998) is not
 * accepted, so that the order itself is not read. Meanings: the vendor's list of codes, as clients keep it
 * (matperez/yii2-platron; 9991 to 99999 in PHP enums). Not here: 120 and 100, with which orders that took effect were
 * answered (github.com/vevovip/chaospay, docs/ex1001.md and its presets), 9992 to 9995, which the same authors know as
 * unexpected errors, and codes of limits, cards and balances, which are judged while the order is carried out. The
 * status of the order decides after those.
 */
export const FREEDOMPAY_NOT_BEGUN: ReadonlySet<string> = new Set(['101', '110', '9996', '9997', '9998'])

/**
 * The shop is not identified, the one case in which an answer comes unsigned: 101 or 9998, by the version of the
 * vendor's document.
 */
export const FREEDOMPAY_NOT_IDENTIFIED: ReadonlySet<string> = new Set(['101', '9998'])

/** Errors that say nothing of any payment: our key, our shop, our contract. */
export const FREEDOMPAY_NOT_BELIEVED: ReadonlySet<string> = new Set(['100', '101', '110', '9996', '9997', '9998'])

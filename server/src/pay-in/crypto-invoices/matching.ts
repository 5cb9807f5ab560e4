import { mulDiv } from '../../platform/money/index.ts'
import type { Invoice, Payment } from './invoice.ts'
import { roundUp, unitsFor, worthOf, type Rounding } from './quoting.ts'

/** The sums of an invoice's payments. */
export interface Totals {
  /** credited */
  paid: bigint
  fee: bigint
  paidBaseE18: bigint
  /** seen, not credited and not lost */
  waiting: bigint
  waitingInTime: number
  waitingMined: number
  /** worth of all payments seen and not lost, each rounded down; `seenCount` is their number */
  seenBaseE18: bigint
  seenCount: number
  /** a payment has no price yet, so that the requested amount is unknown until it has */
  unvalued: boolean
}

export const totalsOf = (payments: readonly Payment[], scale: number): Totals => {
  const totals: Totals = {
    paid: 0n,
    fee: 0n,
    paidBaseE18: 0n,
    waiting: 0n,
    waitingInTime: 0,
    waitingMined: 0,
    seenBaseE18: 0n,
    seenCount: 0,
    unvalued: false,
  }
  for (const { state, units, fee, late, priceE18, unvalued, minedAt } of payments) {
    if (state === 'lost') continue
    const worth = priceE18 === null ? 0n : worthOf(units, priceE18, scale)
    totals.seenBaseE18 += worth
    totals.seenCount += 1
    totals.unvalued ||= unvalued
    if (state === 'credited') {
      totals.paid += units
      totals.fee += fee
      totals.paidBaseE18 += worth
    } else {
      totals.waiting += units
      if (!late) totals.waitingInTime += 1
      if (!late && minedAt !== null) totals.waitingMined += 1
    }
  }
  return totals
}

/**
 * Returns the requested amount of an invoice priced in fiat: the seen payments, plus the missing rest at the current
 * quote, rounded up to an amount that a person would write. An overpayment does not increase it, and the amount
 * that rounding added is no overpayment.
 */
export const askedUnits = (
  { base, quote }: { base: NonNullable<Invoice['base']>; quote: NonNullable<Invoice['quote']> },
  totals: Totals,
  scale: number,
  rounding: Rounding,
): bigint => {
  const { step } = rounding
  const seen = totals.paid + totals.waiting
  // Each payment's worth was rounded down by less than one, so a rest that small is no debt.
  const missing = base.e18 - totals.seenBaseE18 - BigInt(totals.seenCount)
  if (missing > 0n) return roundUp(seen + unitsFor(missing, quote.priceE18, scale, step), rounding)
  const over = totals.seenBaseE18 - base.e18
  if (over <= 0n) return seen
  const spare = mulDiv(over, 10n ** BigInt(scale), quote.priceE18 * step, 'down') * step
  if (spare >= seen) return seen
  const asked = roundUp(seen - spare, rounding)
  return asked < seen ? asked : seen
}

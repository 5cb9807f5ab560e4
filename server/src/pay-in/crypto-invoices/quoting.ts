import type { AssetOnNetwork, CryptoAsset } from '../../market/assets/index.ts'
import { mulDiv } from '../../platform/money/index.ts'
import type { Quote } from './invoice.ts'

const E18 = 10n ** 18n
/** Prices are quoted with at most this many decimals, so that the price shown is exactly the price used. */
const PRICE_STEP = 10n ** 8n
/** A cheaper coin is not quoted, because rounding would distort the price of one ledger unit. */
const LEAST_PRICE = 10n ** 12n
/**
 * Requested amounts have at most this many decimals, or the network's precision if that is less: a payer can't type
 * eighteen.
 */
const MOST_DECIMALS = 8

/** The currencies in which invoices may be priced (`contract.md` 5.14). */
export const BASE_TICKERS = ['UAH', 'USD', 'EUR'] as const

/** Stored prices are in USD, which therefore needs no price of its own. */
const usdOf = (ticker: string, prices: ReadonlyMap<string, bigint>): bigint | undefined =>
  ticker === 'USD' ? E18 : prices.get(ticker)

/**
 * Returns the price of one whole unit of an asset in a base currency, in 1e-18, rounded half to even. Undefined if
 * either has no fresh price, or if the price is too small to be quoted: then no payment is requested.
 * @param prices USD in 1e-18 for one whole unit, by ticker
 */
export const priceIn = (ticker: string, base: string, prices: ReadonlyMap<string, bigint>): bigint | undefined => {
  const [asset, currency] = [usdOf(ticker, prices), usdOf(base, prices)]
  if (asset === undefined || currency === undefined) return undefined
  const exact = mulDiv(asset, E18, currency, 'half-even')
  const price = mulDiv(exact, 1n, PRICE_STEP, 'half-even') * PRICE_STEP
  return price >= LEAST_PRICE ? price : undefined
}

/** Amounts of assets without a peg that are computed from a price have at most this many significant digits. */
const MOST_DIGITS = 6

/** How requested amounts that are computed from a price are rounded, in ledger units. */
export interface Rounding {
  /** every amount is a multiple of it: the network's precision, or the finest that a payer can type */
  step: bigint
  /** for a pegged asset: one hundredth of it; for others, which are rounded to significant digits, undefined */
  cent: bigint | undefined
}

export const roundingOf = (
  { scale, pegged }: Pick<CryptoAsset, 'scale' | 'pegged'>,
  on: Pick<AssetOnNetwork, 'decimals'>,
): Rounding => ({
  step: 10n ** BigInt(scale - Math.min(on.decimals, MOST_DECIMALS)),
  cent: pegged && scale >= 2 ? 10n ** BigInt(scale - 2) : undefined,
})

/** The step of an amount as a person would write it: a cent, or six significant digits; never finer than `step`. */
export const writtenStep = (units: bigint, { step, cent }: Rounding): bigint => {
  const written = cent ?? 10n ** BigInt(Math.max(0, String(units).length - MOST_DIGITS))
  return written > step ? written : step
}

/** Rounds an amount up to a number that a person would write. */
export const roundUp = (units: bigint, rounding: Rounding): bigint => {
  const step = writtenStep(units, rounding)
  return mulDiv(units, 1n, step, 'up') * step
}

/** The worth of units in the base currency, in 1e-18, rounded down. */
export const worthOf = (units: bigint, priceE18: bigint, scale: number): bigint =>
  mulDiv(units, priceE18, 10n ** BigInt(scale), 'down')

/** Returns the smallest amount with at least this worth, in whole steps, so that it never falls short of the price. */
export const unitsFor = (worthE18: bigint, priceE18: bigint, scale: number, step: bigint): bigint =>
  mulDiv(worthE18 * 10n ** BigInt(scale), 1n, priceE18 * step, 'up') * step

/**
 * A payment seen within this time after the end of a quote counts at the quote, because it may have been sent before,
 * ms.
 */
export const GRACE_MS = 3 * 60_000

/** Until when a payment seen counts at a quote, ms since the epoch. */
export const heldUntil = ({ until }: Pick<Quote, 'until'>): number => until.getTime() + GRACE_MS

/**
 * Returns the price of a payment seen at a time: of the prices at which it may have been sent, the best one for the
 * payer. Null if none is valid any more.
 */
export const priceAt = (quote: Quote, at: Date): bigint | null => {
  const candidates: bigint[] = []
  if (at.getTime() <= heldUntil(quote)) candidates.push(quote.priceE18)
  if (quote.previousE18 !== null && at.getTime() <= quote.at.getTime() + GRACE_MS) candidates.push(quote.previousE18)
  if (candidates.length === 0) return null
  return candidates.reduce((best, price) => (price > best ? price : best))
}

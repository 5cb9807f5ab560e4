import type { AssetOnNetwork, CryptoAsset } from '../../market/assets/index.ts'
import { mulDiv } from '../../platform/money/index.ts'
import type { Quote } from './invoice.ts'

const E18 = 10n ** 18n
/** Prices are quoted with at most this many decimals, so that what is shown is what is counted by. */
const PRICE_STEP = 10n ** 8n
/** A coin worth less is not quoted: one ledger unit of it has to be worth more than rounding. */
const LEAST_PRICE = 10n ** 12n
/**
 * Amounts are asked for with at most this many decimals, or as many as the network has: a payer can't type eighteen.
 */
const MOST_DECIMALS = 8

/** What invoices may be priced in (`contract.md` 5.14). */
export const BASE_TICKERS = ['UAH', 'USD', 'EUR'] as const

/** The currency prices are stored in is its own price. */
const usdOf = (ticker: string, prices: ReadonlyMap<string, bigint>): bigint | undefined =>
  ticker === 'USD' ? E18 : prices.get(ticker)

/**
 * What one whole unit of an asset costs in a base currency, in 1e-18, rounded half to even. Undefined when either has
 * no fresh price, or the price is too small to be quoted: then nothing is asked for.
 * @param prices USD in 1e-18 for one whole unit, by ticker
 */
export const priceIn = (ticker: string, base: string, prices: ReadonlyMap<string, bigint>): bigint | undefined => {
  const [asset, currency] = [usdOf(ticker, prices), usdOf(base, prices)]
  if (asset === undefined || currency === undefined) return undefined
  const exact = mulDiv(asset, E18, currency, 'half-even')
  const price = mulDiv(exact, 1n, PRICE_STEP, 'half-even') * PRICE_STEP
  return price >= LEAST_PRICE ? price : undefined
}

/** The smallest step in which an amount is asked for, in ledger units. */
export const stepOf = (asset: Pick<CryptoAsset, 'scale'>, on: Pick<AssetOnNetwork, 'decimals'>): bigint =>
  10n ** BigInt(asset.scale - Math.min(on.decimals, MOST_DECIMALS))

/** Worth of units in the base currency, in 1e-18, rounded down. */
export const worthOf = (units: bigint, priceE18: bigint, scale: number): bigint =>
  mulDiv(units, priceE18, 10n ** BigInt(scale), 'down')

/** The least amount worth at least so much, in whole steps: what is asked for is never short of the price. */
export const unitsFor = (worthE18: bigint, priceE18: bigint, scale: number, step: bigint): bigint =>
  mulDiv(worthE18 * 10n ** BigInt(scale), 1n, priceE18 * step, 'up') * step

/** What was sent while a quote was shown may be seen this much later and still counts at it, ms. */
export const GRACE_MS = 3 * 60_000

/** Until when what is seen counts at a quote, ms since the epoch. */
export const heldUntil = ({ until }: Pick<Quote, 'until'>): number => until.getTime() + GRACE_MS

/**
 * The price that a payment seen at a time counts at: the best for the payer of those it may have been sent at. Null
 * when none holds any more.
 */
export const priceAt = (quote: Quote, at: Date): bigint | null => {
  const candidates: bigint[] = []
  if (at.getTime() <= heldUntil(quote)) candidates.push(quote.priceE18)
  if (quote.previousE18 !== null && at.getTime() <= quote.at.getTime() + GRACE_MS) candidates.push(quote.previousE18)
  if (candidates.length === 0) return null
  return candidates.reduce((best, price) => (price > best ? price : best))
}

import { mulDiv } from '../../platform/money/index.ts'

/** Digits after the dot of a price. */
export const PRICE_DECIMALS = 8
const PRICE_ONE = 10n ** BigInt(PRICE_DECIMALS)
const BPS = 10_000n

/** The amount that the merchant states: the received amount, or the spent amount including the fee. */
export type Side = 'target' | 'spend'

/**
 * Which asset of the pair is spent. The pair's order is fixed; its price is that of one whole first asset in the
 * second.
 */
export type Selling = 'first' | 'second'

/** The precision of a direction's amounts: ledger units, of which only multiples of a step are used. */
export interface Grain {
  /** decimals of a ledger unit */
  scale: number
  /** ledger units */
  step: bigint
}

/** The terms by which a direction's amounts are computed. */
export interface Terms {
  selling: Selling
  spend: Grain
  target: Grain
  /** fee on the exchanged amount, in basis points */
  feeBps: bigint
}

/** Ledger units. `spend = exchange + fee`, all three of the asset spent (`contract.md` 5.22). */
export interface Amounts {
  exchange: bigint
  fee: bigint
  spend: bigint
  target: bigint
}

/**
 * Computes all amounts of an exchange at this price. The merchant's stated amount does not change. The computed amounts
 * are rounded to a step against the merchant: received down, spent and fee up. Undefined when nothing is left to
 * receive or to exchange.
 * @param amount of the side, ledger units, a multiple of its step
 * @param price 1e-8 of the pair's second asset for one whole first
 */
export const amountsAt = (terms: Terms, side: Side, amount: bigint, price: bigint): Amounts | undefined => {
  if (side === 'target') {
    const exchange = spentFor(terms, amount, price)
    const fee = feeOf(terms, exchange)
    return { exchange, fee, spend: exchange + fee, target: amount }
  }
  const exchange = exchangedOf(terms, amount)
  const target = receivedFor(terms, exchange, price)
  if (exchange <= 0n || target <= 0n) return undefined
  return { exchange, fee: amount - exchange, spend: amount, target }
}

/** The fee on an exchanged amount, rounded up to a whole step. */
export const feeOf = ({ spend, feeBps }: Pick<Terms, 'spend' | 'feeBps'>, exchange: bigint): bigint =>
  mulDiv(exchange, feeBps, BPS * spend.step, 'up') * spend.step

/**
 * The most that can be exchanged for an amount spent that includes the fee. The rest is at least `feeOf` it: a whole
 * number of steps that is no less than the fee is no less than the fee rounded up to a step.
 * @param spend a multiple of its step
 */
export const exchangedOf = ({ spend: { step }, feeBps }: Pick<Terms, 'spend' | 'feeBps'>, spend: bigint): bigint =>
  mulDiv(spend, BPS, (BPS + feeBps) * step, 'down') * step

const receivedFor = ({ selling, spend, target }: Terms, exchange: bigint, price: bigint): bigint => {
  const [up, down] = [10n ** BigInt(target.scale), 10n ** BigInt(spend.scale)]
  return selling === 'first'
    ? mulDiv(exchange * up, price, PRICE_ONE * down * target.step, 'down') * target.step
    : mulDiv(exchange * up, PRICE_ONE, price * down * target.step, 'down') * target.step
}

const spentFor = ({ selling, spend, target }: Terms, amount: bigint, price: bigint): bigint => {
  const [up, down] = [10n ** BigInt(spend.scale), 10n ** BigInt(target.scale)]
  return selling === 'first'
    ? mulDiv(amount * up, PRICE_ONE, price * down * spend.step, 'up') * spend.step
    : mulDiv(amount * up, price, PRICE_ONE * down * spend.step, 'up') * spend.step
}

/**
 * Whether filling at `price` is no worse for the merchant than at `limit`: when the first asset is sold, higher is
 * better.
 */
export const isNoWorse = (selling: Selling, price: bigint, limit: bigint): boolean =>
  selling === 'first' ? price >= limit : price <= limit

/**
 * Returns the merchant's price from the market's amounts: less the spread and rounded, both against the merchant.
 * Undefined when it is too small to be represented.
 * @param spent @param received 1e-18 whole units
 */
export const priceFor = (
  selling: Selling,
  { spent, received, spreadBps }: { spent: bigint; received: bigint; spreadBps: bigint },
): bigint | undefined => {
  if (spent <= 0n || received <= 0n) return undefined
  const price =
    selling === 'first'
      ? mulDiv(received * PRICE_ONE, BPS - spreadBps, spent * BPS, 'down')
      : mulDiv(spent * PRICE_ONE, BPS, received * (BPS - spreadBps), 'up')
  return price > 0n ? price : undefined
}

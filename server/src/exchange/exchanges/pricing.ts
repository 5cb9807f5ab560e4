import { mulDiv } from '../../platform/money/index.ts'

/** Digits after the dot of a price. */
export const PRICE_DECIMALS = 8
const PRICE_ONE = 10n ** BigInt(PRICE_DECIMALS)
const BPS = 10_000n

/** Which amount the merchant names: what is received, or what is spent with the fee in it. */
export type Side = 'target' | 'spend'

/**
 * Which asset of the pair is spent. The pair's order is fixed; its price is what one whole first costs in the second.
 */
export type Selling = 'first' | 'second'

/** What a direction's amounts are made of: ledger units, of which only multiples of a step are used. */
export interface Grain {
  /** decimals of a ledger unit */
  scale: number
  /** ledger units */
  step: bigint
}

/** A direction as amounts are computed in it. */
export interface Terms {
  selling: Selling
  spend: Grain
  target: Grain
  /** of what is exchanged, in basis points */
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
 * Everything that an exchange at this price moves. The amount that the merchant names is kept to the unit; what follows
 * from it is rounded to a step against the merchant: received down, spent and fee up. Undefined when nothing is left to
 * receive or to exchange.
 * @param amount of the side, ledger units, a multiple of its step
 * @param price 1e-8 of the pair's second for one whole first
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

/** The fee on what is exchanged, up to a whole step. */
export const feeOf = ({ spend, feeBps }: Pick<Terms, 'spend' | 'feeBps'>, exchange: bigint): bigint =>
  mulDiv(exchange, feeBps, BPS * spend.step, 'up') * spend.step

/**
 * The most that can be exchanged when this much is spent, the fee in it: what is left is at least `feeOf` it, since a
 * whole number of steps that is no less than the fee is no less than the fee rounded up to a step.
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
 * Whether filling at `price` is no worse for the merchant than at `limit`: higher is better for who sells the first.
 */
export const isNoWorse = (selling: Selling, price: bigint, limit: bigint): boolean =>
  selling === 'first' ? price >= limit : price <= limit

/**
 * The price for the merchant out of what the market gives and takes: less the spread, and rounded, both against the
 * merchant. Undefined when it is too small to be written.
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

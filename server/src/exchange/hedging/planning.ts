import type { VenueMarket } from '../../adapters/venues/port.ts'
import { mulDiv } from '../../platform/money/index.ts'
import { E18 } from '../../market/rates/index.ts'

/** The inputs of the decision about an order; all in 1e-18 whole units. */
export interface Situation {
  asset: string
  /** above 0: the platform holds too much of the asset */
  exposure: bigint
  market: VenueMarket
  /** of the market: quote for one base */
  middle: bigint
  slippageBps: bigint
  leastUsdt: bigint
  /** maximum value of this order, by all limits */
  mostUsdt: bigint
  /** the account's balance of the base, including the amount in orders */
  heldBase: bigint
  /** the amount that may be spent: the lesser of the inventory for sale and the free balance on the venue */
  spendable: { base: bigint; quote: bigint }
}

export interface Plan {
  kind: 'order'
  side: 'buy' | 'sell'
  amount: bigint
  price: bigint
}

export type NoPlan =
  /** too small to be traded */
  | { kind: 'small' }
  /** too little of the asset that the order would spend */
  | { kind: 'short'; of: 'base' | 'quote' }
  /** the limits allow no more trading now */
  | { kind: 'capped' }
  /** the venue allows the account no more of the base */
  | { kind: 'full' }

const BPS = 10_000n

/**
 * Plans the order that brings an exposure nearest to zero without passing it, within every limit. Prices are rounded to
 * the side that fills less, amounts down to the market's step.
 */
export const planOrder = (s: Situation): Plan | NoPlan => {
  const isBase = s.market.base === s.asset
  const size = s.exposure < 0n ? -s.exposure : s.exposure
  // A currency is the quote: an excess of it buys the base.
  const side = s.exposure > 0n === isBase ? 'sell' : 'buy'
  const price = limitPrice(s, side)
  if (price === 0n) return { kind: 'small' }
  const wanted = isBase ? size : mulDiv(size, E18, s.middle, 'down')
  if (usdtOf(s, wanted, s.middle) < s.leastUsdt || isTooSmall(s, toStep(s, wanted), price)) return { kind: 'small' }
  const capped = lesser(
    wanted,
    isBase ? mulDiv(s.mostUsdt, E18, price > s.middle ? price : s.middle, 'down') : s.mostUsdt,
  )
  if (isTooSmall(s, toStep(s, capped), price)) return { kind: 'capped' }
  const allowed = lesser(
    capped,
    lesser(s.market.mostAmount ?? capped, side === 'buy' ? (positionLeft(s) ?? capped) : capped),
  )
  if (isTooSmall(s, toStep(s, allowed), price)) return { kind: 'full' }
  const amount = toStep(
    s,
    lesser(allowed, side === 'sell' ? s.spendable.base : mulDiv(s.spendable.quote, E18, price, 'down')),
  )
  if (isTooSmall(s, amount, price)) return { kind: 'short', of: side === 'sell' ? 'base' : 'quote' }
  return { kind: 'order', side, amount, price }
}

/** How much more of the base the venue allows the account to buy; undefined: any amount. */
const positionLeft = ({ market: { mostPosition }, heldBase }: Situation): bigint | undefined =>
  mostPosition === undefined ? undefined : mostPosition > heldBase ? mostPosition - heldBase : 0n

/** The value in USDT of an amount of the base. The base itself is USDT when the asset is the quote. */
export const usdtOf = (
  { asset, market }: Pick<Situation, 'asset'> & { market: { base: string } },
  amount: bigint,
  price: bigint,
): bigint => (market.base === asset ? mulDiv(amount, price, E18, 'up') : amount)

const limitPrice = ({ middle, slippageBps, market: { priceStep } }: Situation, side: 'buy' | 'sell'): bigint =>
  side === 'buy'
    ? mulDiv(middle, BPS + slippageBps, BPS * priceStep, 'down') * priceStep
    : mulDiv(middle, BPS - slippageBps, BPS * priceStep, 'up') * priceStep

const toStep = ({ market: { amountStep } }: Situation, amount: bigint): bigint => (amount / amountStep) * amountStep
const isTooSmall = ({ market }: Situation, amount: bigint, price: bigint): boolean =>
  amount <= 0n || amount < market.leastAmount || mulDiv(amount, price, E18, 'down') < market.leastNotional
const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b)

import { orderErrors } from '@bursar/contract'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'
import { refusal } from '../../platform/api/route.ts'
import { isTooOld, type UsdtMarkets } from '../../market/rates/index.ts'
import { directionOf, type Direction } from './direction.ts'
import type { ExchangePolicy } from './policy.ts'
import { amountsAt, isNoWorse, PRICE_DECIMALS, type Amounts, type Side } from './pricing.ts'
import { isQuote, quote, type Quote } from './quoting.ts'

/** The error codes of an operation's refusals: an estimate has others than an order (`contract.md` 9). */
export type Refusals = Pick<typeof orderErrors, 'invalidOrder' | 'pairNotAllowed' | 'notEnoughLiquidity'> &
  Partial<typeof orderErrors>

export interface Asked {
  spendTicker: string
  targetTicker: string
  side: Side | 'exchange'
  amount: string
}

/** `exchange` is an older name of `spend` (`contract.md` 16 #25). */
export const sideOf = (side: Asked['side']): Side => (side === 'exchange' ? 'spend' : side)

export const readDirection = (
  policy: ExchangePolicy,
  { spendTicker, targetTicker }: Pick<Asked, 'spendTicker' | 'targetTicker'>,
  errors: Refusals,
): Direction => {
  const direction = directionOf(policy, spendTicker, targetTicker)
  if (direction) return direction
  const [spend, target] = [clip(spendTicker), clip(targetTicker)]
  throw refusal(
    errors.pairNotAllowed,
    `Ticker pair not allowed: ${spend} to ${target}; available-directions lists the allowed pairs`,
  )
}

const clip = (text: string): string => JSON.stringify(text.slice(0, 32)).slice(1, -1)

/**
 * Reads a side's amount in ledger units; an amount finer than the step is refused, never rounded (`contract.md` 5.21,
 * 18 #11).
 */
export const readSideAmount = ({ spend, target }: Direction, side: Side, text: string, errors: Refusals): bigint => {
  const { ticker, scale, step } = side === 'target' ? target : spend
  const parsed = parseUnits(text, scale)
  if (!parsed.ok || parsed.units % step !== 0n) {
    throw refusal(
      errors.invalidOrder,
      `amount is finer than the step of ${ticker}: ${formatUnits(step, scale)}, or not a decimal`,
      'amount',
    )
  }
  if (parsed.units === 0n) throw refusal(errors.invalidOrder, 'amount must be greater than zero', 'amount')
  return parsed.units
}

/** Reads a price in 1e-8, the pair's second asset for one of the first. */
export const readPrice = (text: string, errors: Refusals): bigint => {
  const parsed = parseUnits(text, PRICE_DECIMALS)
  if (!parsed.ok || parsed.units === 0n)
    throw refusal(
      errors.invalidOrder,
      `price is a decimal above zero of at most ${PRICE_DECIMALS} digits after the dot`,
      'price',
    )
  return parsed.units
}

/** Refuses amounts outside the direction's limits. They are in the asset spent, and include the fee. */
export const checkLimits = ({ spend }: Direction, { spend: units }: Pick<Amounts, 'spend'>, errors: Refusals): void => {
  const text = (of: bigint): string => `${formatUnits(of, spend.scale)} ${spend.ticker}`
  if (units < spend.min)
    throw refusal(
      errors.amountTooLow ?? errors.invalidOrder,
      `Amount too low: ${text(units)} would be spent, the least is ${text(spend.min)}`,
      'amount',
    )
  if (units > spend.max)
    throw refusal(
      errors.amountTooHigh ?? errors.invalidOrder,
      `Amount too high: ${text(units)} would be spent, the most is ${text(spend.max)}`,
      'amount',
    )
}

/** Returns the current quote; refuses when there is none. */
export const quoteNow = (
  direction: Direction,
  side: Side,
  amount: bigint,
  usdtMarkets: UsdtMarkets,
  errors: Refusals,
): Quote => {
  const quoted = quote(direction, side, amount, usdtMarkets)
  if (isQuote(quoted)) return quoted
  if (quoted.kind === 'no-liquidity')
    throw refusal(errors.notEnoughLiquidity, `Not enough liquidity: ${quoted.because}`)
  throw refusal(
    errors.amountTooLow ?? errors.invalidOrder,
    'Amount too low: nothing would be left to receive',
    'amount',
  )
}

/**
 * Refuses an order that has waited for the database until the markets of its price are too old: others may have moved
 * since, and the platform would exchange at a price that no source offers any more.
 * @param quote the price when the order arrived
 * @param now ms of real time
 */
export const checkAge = ({ basis }: Pick<Quote, 'basis'>, now: number): void => {
  const old = Object.entries(basis).find(([, { observedAt }]) => isTooOld(observedAt, now))
  if (!old) return
  const [ticker, { observedAt }] = old
  throw refusal(
    orderErrors.notEnoughLiquidity,
    `Not enough liquidity: the price of ${ticker} is of ${new Date(observedAt).toISOString()}, as the order waited too long; order again`,
  )
}

/**
 * Returns the price at which an order is filled: the quoted price while the market stays within the spread of its value
 * then, otherwise the current price when it is no worse than the merchant's limit (`contract.md` 18 #8, 19 #11).
 */
export const fillOf = (
  direction: Direction,
  { side, amount, limit }: { side: Side; amount: bigint; limit: bigint },
  now: Quote,
  quoted: Pick<Quote, 'price' | 'market' | 'basis'> | undefined,
): Quote => {
  const amounts =
    quoted && isStillTrue(quoted, now, direction.spreadBps)
      ? amountsAt(direction, side, amount, quoted.price)
      : undefined
  if (quoted && amounts) return { ...quoted, ...amounts }
  if (isNoWorse(direction.selling, now.price, limit)) return now
  const current = formatUnits(now.price, PRICE_DECIMALS)
  throw refusal(
    orderErrors.invalidOrder,
    `Order validation error: the price is ${current} ${direction.second} for 1 ${direction.first} now, worse than the price given`,
    'price',
  )
}

const isStillTrue = (quoted: { market: bigint }, now: { market: bigint }, spreadBps: bigint): boolean => {
  const change = quoted.market > now.market ? quoted.market - now.market : now.market - quoted.market
  return change * 10_000n <= quoted.market * spreadBps
}

/**
 * Returns the fee to charge: the merchant's own fee if it is at least the current one, otherwise the current one
 * (`contract.md` 19 #4).
 */
export const chargedFee = (direction: Direction, side: Side, quoted: Quote, given: string | undefined): Quote => {
  if (given === undefined) return quoted
  const { spend } = direction
  const parsed = parseUnits(given, spend.scale)
  if (!parsed.ok || parsed.units % spend.step !== 0n) {
    throw refusal(
      orderErrors.invalidOrder,
      `fee is a decimal in steps of ${formatUnits(spend.step, spend.scale)} ${spend.ticker}`,
      'fee',
    )
  }
  if (parsed.units < quoted.fee) {
    throw refusal(
      orderErrors.feeTooLow,
      `Fee less than required: the current fee is ${formatUnits(quoted.fee, spend.scale)} ${spend.ticker}`,
      'fee',
    )
  }
  return side === 'target'
    ? { ...quoted, fee: parsed.units, spend: quoted.exchange + parsed.units }
    : withFee(direction, quoted, parsed.units)
}

/** Applies a higher fee to the same amount spent: less is exchanged and received. */
const withFee = (direction: Direction, quoted: Quote, fee: bigint): Quote => {
  if (fee === quoted.fee) return quoted
  const exchange = quoted.spend - fee
  const got = exchange > 0n ? amountsAt({ ...direction, feeBps: 0n }, 'spend', exchange, quoted.price) : undefined
  if (!got) throw refusal(orderErrors.amountTooLow, 'Amount too low: the fee leaves nothing to exchange', 'fee')
  return { ...quoted, exchange, fee, target: got.target }
}

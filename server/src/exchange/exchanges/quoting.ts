import { rescale } from '../../platform/money/index.ts'
import {
  assetReceivedFor,
  assetNeededFor,
  E18,
  PIVOT,
  usdtReceivedFor,
  usdtNeededFor,
  type UsdtMarkets,
} from '../../market/rates/index.ts'
import type { Direction } from './direction.ts'
import { amountsAt, exchangedOf, priceFor, type Amounts, type Side } from './pricing.ts'

/** A price for one amount of a direction, and its basis. */
export interface Quote extends Amounts {
  /** 1e-8 of the pair's second for one whole first */
  price: bigint
  /** the same without the spread */
  market: bigint
  basis: PriceBasis
}

/** The basis of a price, stored with its use: for each market its middle, the sources of its books, and their time. */
export type PriceBasis = Record<string, { middle: string; sources: string[]; observedAt: number }>

export type NoQuote =
  /** a market is missing, or too few books are deep enough */
  | { kind: 'no-liquidity'; because: string }
  /** nothing would be left to receive */
  | { kind: 'too-little' }

const UNIT_DECIMALS = 18

/**
 * Prices an amount by walking the order books through USDT, so that the price fits the amount. The sold asset walks the
 * bids, the bought one the asks. The spread is added, and every rounding is against the merchant.
 * @param amount of the side, ledger units, a multiple of its step
 */
export const quote = (direction: Direction, side: Side, amount: bigint, usdtMarkets: UsdtMarkets): Quote | NoQuote => {
  const missing = [direction.spend, direction.target].find(
    ({ ticker }) => ticker !== PIVOT && !usdtMarkets.open.has(ticker),
  )
  if (missing)
    return {
      kind: 'no-liquidity',
      because: `${missing.ticker}: ${usdtMarkets.closed.get(missing.ticker) ?? 'no source'}`,
    }
  const walked =
    side === 'target' ? walkBack(direction, amount, usdtMarkets) : walkForth(direction, amount, usdtMarkets)
  if (walked === undefined) return { kind: 'no-liquidity', because: 'the order books hold less than that' }
  const market = priceFor(direction.selling, { ...walked, spreadBps: 0n })
  const price = priceFor(direction.selling, { ...walked, spreadBps: direction.spreadBps })
  if (market === undefined || price === undefined) return { kind: 'too-little' }
  const amounts = amountsAt(direction, side, amount, price)
  return amounts ? { ...amounts, price, market, basis: basisOf(direction, usdtMarkets) } : { kind: 'too-little' }
}

export const isQuote = (answer: Quote | NoQuote): answer is Quote => !('kind' in answer)

interface Walked {
  spent: bigint
  received: bigint
}

/** Computes the amount received from the amount spent. The fee is not exchanged. */
const walkForth = ({ spend, target, feeBps }: Direction, amount: bigint, { open }: UsdtMarkets): Walked | undefined => {
  const spent = wholes(exchangedOf({ spend, feeBps }, amount), spend.scale)
  if (spent <= 0n) return { spent: E18, received: 0n }
  const usdt = spend.ticker === PIVOT ? spent : usdtReceivedFor(open.get(spend.ticker)!, spent)
  const received =
    usdt === undefined || target.ticker === PIVOT ? usdt : assetReceivedFor(open.get(target.ticker)!, usdt)
  return received === undefined ? undefined : { spent, received }
}

/** Computes the amount to spend for an amount to receive. */
const walkBack = ({ spend, target }: Direction, amount: bigint, { open }: UsdtMarkets): Walked | undefined => {
  const received = wholes(amount, target.scale)
  const usdt = target.ticker === PIVOT ? received : usdtNeededFor(open.get(target.ticker)!, received)
  const spent = usdt === undefined || spend.ticker === PIVOT ? usdt : assetNeededFor(open.get(spend.ticker)!, usdt)
  return spent === undefined ? undefined : { spent, received }
}

const wholes = (units: bigint, scale: number): bigint => rescale(units, scale, UNIT_DECIMALS)

const basisOf = ({ spend, target }: Direction, { open }: UsdtMarkets): PriceBasis =>
  Object.fromEntries(
    [spend, target].flatMap(({ ticker }) => {
      const market = open.get(ticker)
      if (!market) return []
      return [
        [
          ticker,
          {
            middle: market.middle.toString(),
            sources: market.books.map(({ source }) => source),
            observedAt: market.observedAt.getTime(),
          },
        ],
      ]
    }),
  )

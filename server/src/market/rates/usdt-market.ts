import type { Book } from '../../adapters/rates/port.ts'
import { boughtWith, soldFor, toBuyWith, toSellFor } from './ladder.ts'

/** The asset against which all others are priced. */
export const PIVOT = 'USDT'

/** An order book that is used in a price. `source` names its source. */
export interface OrderBook extends Book {
  source: string
}

/**
 * The order books of one asset against USDT whose prices agree. A crypto asset is the base of its market (`BTC/USDT`);
 * a fiat asset is the second asset (`USDT/UAH`).
 */
export interface UsdtMarket {
  ticker: string
  books: readonly OrderBook[]
  /** the number of books that must have enough volume for a price */
  quorum: number
}

/**
 * Conversions through a market, in 1e-18 whole units. Each is calculated from every book; the result is the median. Of
 * an even number of results, it is the one of the two middle results that is worse for the caller. Undefined if fewer
 * than `quorum` books have enough volume.
 */

/** USDT received for spending `amount` of the asset. */
export const usdtReceivedFor = (market: UsdtMarket, amount: bigint): bigint | undefined =>
  middle(market, (book) => (isBase(market, book) ? soldFor(book.bids, amount) : toBuyWith(book.asks, amount)), 'least')

/** Amount of the asset received for spending `usdt`. */
export const assetReceivedFor = (market: UsdtMarket, usdt: bigint): bigint | undefined =>
  middle(market, (book) => (isBase(market, book) ? toBuyWith(book.asks, usdt) : soldFor(book.bids, usdt)), 'least')

/** USDT that must be spent to receive `amount` of the asset. */
export const usdtNeededFor = (market: UsdtMarket, amount: bigint): bigint | undefined =>
  middle(
    market,
    (book) => (isBase(market, book) ? boughtWith(book.asks, amount) : toSellFor(book.bids, amount)),
    'most',
  )

/** Amount of the asset that must be spent to receive `usdt`. */
export const assetNeededFor = (market: UsdtMarket, usdt: bigint): bigint | undefined =>
  middle(market, (book) => (isBase(market, book) ? toSellFor(book.bids, usdt) : boughtWith(book.asks, usdt)), 'most')

const isBase = ({ ticker }: UsdtMarket, { base }: Book): boolean => base === ticker

const middle = (
  market: UsdtMarket,
  ask: (book: Book) => bigint | undefined,
  worse: 'least' | 'most',
): bigint | undefined => {
  const answers = market.books
    .map(ask)
    .filter((answer) => answer !== undefined)
    .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  if (answers.length < market.quorum || answers.length === 0) return undefined
  return answers[worse === 'least' ? Math.floor((answers.length - 1) / 2) : Math.floor(answers.length / 2)]
}

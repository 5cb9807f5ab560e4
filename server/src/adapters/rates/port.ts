/** A source's price of one unit of `ticker` in USD, as a decimal string, and its time (ms). */
export interface Quote {
  ticker: string
  usd: string
  observedAt: number
}

/** A source of prices. Throws when it has no price; it never invents one. */
export interface RateSource {
  readonly name: string
  /** true: its prices are agreed on by several sources */
  readonly agreed?: boolean
  quotes(tickers: readonly string[]): Promise<Quote[]>
}

/** One level of an order book: `price` of one whole base in the quote asset, `amount` of the base; both in 1e-18. */
export interface Level {
  price: bigint
  amount: bigint
}

/** The order book of a market: both sides, best price first, and the time of the book (ms). */
export interface Book {
  base: string
  quote: string
  bids: readonly Level[]
  asks: readonly Level[]
  observedAt: number
}

/** A market, by our tickers. */
export type Market = Pick<Book, 'base' | 'quote'>

/** A venue whose order books can be read. Throws when it has no book; it never invents one. */
export interface BookSource {
  readonly name: string
  /** whether it has this market */
  serves(market: Market): boolean
  book(market: Market): Promise<Book>
}

/**
 * An official rate: amount of whole `ticker` per USD, in 1e-18, and the time it was fixed (ms). It limits other prices
 * and is not used as a price.
 */
export interface OfficialRate {
  ticker: string
  perUsd: bigint
  observedAt: number
}

export interface OfficialSource {
  readonly name: string
  rates(): Promise<OfficialRate[]>
}

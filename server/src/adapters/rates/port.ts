/** A price as a source gave it: one unit of `ticker` in USD, as a decimal string, and when (ms). */
export interface Quote {
  ticker: string
  usd: string
  observedAt: number
}

/** A source of prices. Throws when it has none; it never makes one up. */
export interface RateSource {
  readonly name: string
  /** several sources agree on what it says */
  readonly agreed?: boolean
  quotes(tickers: readonly string[]): Promise<Quote[]>
}

/** One level of an order book: `price` of one whole base in the quote asset, `amount` of the base; both in 1e-18. */
export interface Level {
  price: bigint
  amount: bigint
}

/** What can be traded on a market now: both sides from the best price on, and when it was so (ms). */
export interface Book {
  base: string
  quote: string
  bids: readonly Level[]
  asks: readonly Level[]
  observedAt: number
}

/** A market as our tickers name it. */
export type Market = Pick<Book, 'base' | 'quote'>

/** An exchange whose order books can be read. Throws when it has none to show; it never makes one up. */
export interface BookSource {
  readonly name: string
  /** which of these markets it has */
  serves(market: Market): boolean
  book(market: Market): Promise<Book>
}

/**
 * An official rate: how many whole `ticker` one USD is, in 1e-18, and when it was fixed (ms). A band to stay in, not a
 * price.
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

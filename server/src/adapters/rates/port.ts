/** A price as a source gave it: one unit of `ticker` in USD, as a decimal string, and when (ms). */
export interface Quote {
  ticker: string
  usd: string
  observedAt: number
}

/** A source of prices. Throws when it has none; it never makes one up. */
export interface RateSource {
  readonly name: string
  quotes(tickers: readonly string[]): Promise<Quote[]>
}

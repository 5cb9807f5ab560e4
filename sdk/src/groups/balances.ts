import type { Call, CallOptions } from '../call.ts'

export const balances = (call: Call) => ({
  /** Returns one balance per ticker, in the order of `tickers`. */
  list: (tickers: string[], options?: CallOptions) => call('listBalances', { query: { tickers } }, options),
})

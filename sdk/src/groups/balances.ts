import type { Call, CallOptions } from '../call.ts'

export const balances = (call: Call) => ({
  /** One balance per ticker, in the order asked. */
  list: (tickers: string[], options?: CallOptions) => call('listBalances', { query: { tickers } }, options),
})

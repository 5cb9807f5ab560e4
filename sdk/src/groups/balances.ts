import type { Call, CallOptions } from '../call.ts'
import { listing } from '../listing.ts'

export const balances = (call: Call) => ({
  /** The ledger entries of the balance of one asset. */
  entries: listing(call, 'listEntries'),

  /** Returns one balance per ticker, in the order of `tickers`. */
  list: (tickers: string[], options?: CallOptions) => call('listBalances', { query: { tickers } }, options),
})

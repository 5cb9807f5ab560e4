/**
 * Properties of a venue that ccxt does not unify: how to query an order by our own id, and how to make the venue refuse
 * requests that arrive too late. A venue without them is not used for hedging.
 */
export interface Dialect {
  /** options of the constructor */
  options: Readonly<Record<string, unknown>>
  place(clientId: string, placedAt: number, validMs: number): Record<string, unknown>
  ask(clientId: string): Record<string, unknown>
  /** Whether an error for a queried order means that it ended long ago without a trade and is no longer shown. */
  isArchived(error: Error): boolean
}

/**
 * Binance, spot: `newClientOrderId`, `origClientOrderId`; a request is refused once its `timestamp` is `recvWindow`
 * old.
 */
const binance: Dialect = {
  options: {
    defaultType: 'spot',
    fetchMarkets: { types: ['spot'] },
    fetchCurrencies: false,
    fetchMargins: false,
    warnOnFetchOpenOrdersWithoutSymbol: false,
  },
  place: (clientId, placedAt, validMs) => ({
    newClientOrderId: clientId,
    timeInForce: 'IOC',
    timestamp: placedAt,
    recvWindow: validMs,
  }),
  ask: (clientId) => ({ origClientOrderId: clientId }),
  // -2026, ORDER_ARCHIVED: cancelled or expired with nothing executed over 90 days ago.
  isArchived: ({ message }) => /"code":\s*-2026\b/.test(message),
}

export const DIALECTS: Readonly<Record<string, Dialect>> = { binance }

/**
 * What has to be known of an exchange besides what ccxt makes alike: how an order is asked for by our own id, and how
 * the venue is made to refuse what arrives too late. An exchange of which this is not known is not hedged on.
 */
export interface Dialect {
  /** of the constructor */
  options: Readonly<Record<string, unknown>>
  place(clientId: string, placedAt: number, validMs: number): Record<string, unknown>
  ask(clientId: string): Record<string, unknown>
  /** Whether the answer to a question for an order says that it ended long ago without a trade and is shown no more. */
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

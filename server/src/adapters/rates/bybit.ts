import { member, numberOf, wordsOf, type Venue } from './venue.ts'

/** Bybit, spot: `GET /v5/market/orderbook`; `ts` is the time of the book in ms. */
export const bybit: Venue = {
  name: 'bybit',
  origin: 'https://api.bybit.com',
  markets: ['BTC/USDT', 'ETH/USDT', 'BNB/USDT', 'TRX/USDT', 'USDC/USDT'],
  pathOf: ({ base, quote }) => `/v5/market/orderbook?category=spot&symbol=${base}${quote}&limit=50`,
  read: (answer) => {
    if (member(answer, 'retCode') !== '0')
      throw new Error(`bybit answered an error: ${wordsOf(member(answer, 'retMsg'))}`)
    const result = member(answer, 'result')
    return { bids: member(result, 'b'), asks: member(result, 'a'), observedAt: numberOf(member(result, 'ts')) }
  },
}

import { member, numberOf, type Venue } from './venue.ts'

/** WhiteBIT, spot: `GET /api/v4/public/orderbook/{market}`; `timestamp` is in seconds. */
export const whitebit: Venue = {
  name: 'whitebit',
  origin: 'https://whitebit.com',
  markets: ['BTC/USDT', 'ETH/USDT', 'BNB/USDT', 'TRX/USDT', 'USDC/USDT', 'USDT/UAH', 'USDT/EUR'],
  pathOf: ({ base, quote }) => `/api/v4/public/orderbook/${base}_${quote}?limit=50`,
  read: (answer) => ({
    bids: member(answer, 'bids'),
    asks: member(answer, 'asks'),
    observedAt: numberOf(member(answer, 'timestamp')) * 1_000,
  }),
}

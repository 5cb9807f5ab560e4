import { member, type Venue } from './venue.ts'

/** Binance, spot: `GET /api/v3/depth`; 50 levels have the lowest weight in its rate limits. The answer has no time. */
export const binance: Venue = {
  name: 'binance',
  origin: 'https://data-api.binance.vision',
  markets: ['BTC/USDT', 'ETH/USDT', 'BNB/USDT', 'TRX/USDT', 'USDC/USDT', 'USDT/KZT'],
  pathOf: ({ base, quote }) => `/api/v3/depth?symbol=${base}${quote}&limit=50`,
  read: (answer) => ({ bids: member(answer, 'bids'), asks: member(answer, 'asks') }),
}

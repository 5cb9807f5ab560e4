import { member, wordsOf, type Venue } from './venue.ts'

/** Kraken's asset names that differ from the usual ones. */
const NAMES: Record<string, string> = { BTC: 'XBT' }
const nameOf = (ticker: string): string => NAMES[ticker] ?? ticker

/**
 * Kraken, spot: `GET /0/public/Depth`. The only member of `result` is the book, under Kraken's own name of the pair.
 */
export const kraken: Venue = {
  name: 'kraken',
  origin: 'https://api.kraken.com',
  markets: ['BTC/USDT', 'ETH/USDT', 'TRX/USDT', 'USDC/USDT', 'USDT/USD', 'USDT/EUR'],
  pathOf: ({ base, quote }) => `/0/public/Depth?pair=${nameOf(base)}${nameOf(quote)}&count=50`,
  read: (answer) => {
    const errors = member(answer, 'error')
    if (!Array.isArray(errors) || errors.length > 0) throw new Error(`kraken answered an error: ${wordsOf(errors)}`)
    const [book] = Object.values((member(answer, 'result') ?? {}) as Record<string, unknown>)
    return { bids: member(book, 'bids'), asks: member(book, 'asks') }
  },
}

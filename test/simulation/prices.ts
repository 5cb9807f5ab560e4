/** Prices in USD that move at random, as the price source and the order books of the simulation show them. */
import { startMarket, type Market } from '../../sandbox/market/index.ts'
import type { Answer } from './fronts/http.ts'
import type { Random } from '../../sandbox/random.ts'

const START: Record<string, number> = {
  BTC: 65_000,
  ETH: 2_500,
  BNB: 600,
  TRX: 0.25,
  USDT: 1,
  USDC: 1,
  UAH: 0.0249,
  KZT: 0.0019,
  EUR: 1.08,
}
const DECIMALS = 9

export interface Prices {
  usd(): Record<string, string>
  /** moves every price by at most a hundredth */
  move(random: Random): void
  /** the answer of the price source */
  answer(): Answer
}

export const createPrices = (now: () => number): Prices => {
  const prices = new Map(Object.entries(START))
  const usd = (): Record<string, string> =>
    Object.fromEntries([...prices].map(([ticker, price]) => [ticker, price.toFixed(DECIMALS)]))
  return {
    usd,
    move: (random) => {
      for (const [ticker, price] of prices) {
        const isStable = ticker === 'USDT' || ticker === 'USDC'
        if (!isStable) prices.set(ticker, price * (1 + (random.next() - 0.5) / 50))
      }
    },
    answer: () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ observedAt: now(), usd: usd() })),
    }),
  }
}

export const startOrderBooks = (prices: Prices, now: () => number): Promise<Market> =>
  startMarket({ port: 0, usd: prices.usd, now })

/** The sandbox's price source. Prices change only on request. */
import { Refusal } from '../http/refusal.ts'

const START: Record<string, string> = {
  BTC: '65000',
  ETH: '2500',
  BNB: '600',
  TRX: '0.25',
  USDT: '1',
  USDC: '1',
  UAH: '0.0249',
  KZT: '0.0019',
  EUR: '1.08',
}
const DECIMAL = /^\d{1,12}(\.\d{1,18})?$/

export interface Prices {
  /** one whole unit in USD, by ticker, now */
  usd(): Readonly<Record<string, string>>
  list(): Promise<{ observedAt: number; usd: Record<string, string> }>
  set(body: unknown): Promise<{ usd: Record<string, string> }>
}

export function createPrices(): Prices {
  const usd = { ...START }
  return {
    usd: () => usd,
    list: async () => ({ observedAt: Date.now(), usd }),
    set: async (body) => {
      const given = Object.entries((body ?? {}) as Record<string, unknown>)
      const known = Object.keys(usd).join(', ')
      if (given.length === 0)
        throw new Refusal(`send prices in USD by ticker, such as {"BTC": "65000"}; there are ${known}`)
      for (const [ticker, price] of given) {
        if (usd[ticker] === undefined) throw new Refusal(`${ticker}: there are ${known}`)
        if (typeof price !== 'string' || !DECIMAL.test(price))
          throw new Refusal(`${ticker}: send a decimal as a string, such as "65000.5"`)
      }
      for (const [ticker, price] of given) usd[ticker] = price as string
      return { usd }
    },
  }
}

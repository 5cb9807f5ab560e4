import { parseUnits } from '../../platform/money/index.ts'
import { getText } from './get.ts'
import type { Quote, RateSource } from './port.ts'
import { isTime } from './venue.ts'

/** Number of decimals of stored prices. */
const SCALE = 18

/**
 * A source that answers `GET url` with `{"observedAt": ms, "usd": {"BTC": "65000.1", ...}}`. Prices must be decimal
 * strings, because JSON numbers lose digits. The caller decides how old a price may be. Throws an Error when the source
 * gives no such answer within five seconds.
 */
export const createHttpRateSource = ({ url }: { url: string }): RateSource => {
  // The path or query may contain a key, which must not appear in errors.
  const { host: name } = new URL(url)
  return {
    name,
    quotes: async (tickers) => {
      const text = await getText(url, name)
      const { observedAt, usd } = decode(text, name)
      return tickers.flatMap((ticker): Quote[] => {
        const price = Object.hasOwn(usd, ticker) ? usd[ticker] : undefined
        return typeof price === 'string' && parseUnits(price, SCALE).ok ? [{ ticker, usd: price, observedAt }] : []
      })
    },
  }
}

const decode = (text: string, name: string): { observedAt: number; usd: Record<string, unknown> } => {
  const { observedAt, usd } = parse(text, name)
  if (!Number.isSafeInteger(observedAt) || !isTime(observedAt as number) || typeof usd !== 'object' || usd === null) {
    throw new Error(`${name} answered something else than prices`)
  }
  return { observedAt: observedAt as number, usd: usd as Record<string, unknown> }
}

const parse = (text: string, name: string): { observedAt?: unknown; usd?: unknown } => {
  try {
    return (JSON.parse(text) ?? {}) as { observedAt?: unknown; usd?: unknown }
  } catch {
    throw new Error(`${name} answered with data that is not JSON`)
  }
}

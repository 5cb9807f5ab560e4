import type { Quote } from '../adapters/rates/port.ts'
import { mulDiv, unitsOf } from '../money/index.ts'

const SCALE = 18

export interface ChosenPrice {
  ticker: string
  usd: bigint
  /** the sources it is the median of, joined by `+` */
  source: string
  observedAt: Date
}

/**
 * One price a ticker out of what all sources said: the median (of two, the mean, rounded half to even). Quotes that are
 * zero, not decimals, older than `oldest` or from the future are left out.
 * @param now real time, ms
 */
export const choosePrices = (
  quotes: readonly { source: string; quote: Quote }[],
  now: number,
  oldest: number,
): ChosenPrice[] => {
  const byTicker = new Map<string, { source: string; usd: bigint; observedAt: number }[]>()
  for (const { source, quote } of quotes) {
    const usd = priceOf(quote.usd)
    if (usd === undefined || quote.observedAt < now - oldest || quote.observedAt > now + 5_000) continue
    byTicker.set(quote.ticker, [...(byTicker.get(quote.ticker) ?? []), { source, usd, observedAt: quote.observedAt }])
  }
  return [...byTicker].map(([ticker, good]) => ({
    ticker,
    usd: median(good.map((g) => g.usd)),
    source: good.map((g) => g.source).join('+'),
    observedAt: new Date(Math.min(...good.map((g) => g.observedAt))),
  }))
}

const priceOf = (text: string): bigint | undefined => {
  try {
    const usd = unitsOf(text, SCALE)
    return usd > 0n ? usd : undefined
  } catch {
    return undefined
  }
}

const median = (values: readonly bigint[]): bigint => {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const middle = Math.floor(sorted.length / 2)
  if (sorted.length % 2 === 1) return sorted[middle]!
  return mulDiv(sorted[middle - 1]! + sorted[middle]!, 1n, 2n, 'half-even')
}

/** True when a price moved by more than `factor` since the last one: more likely a fault of the source than the market. */
export const isJump = (before: bigint, now: bigint, factor: bigint): boolean => now > before * factor || now * factor < before

import { request } from 'undici'
import type { Quote, RateSource } from './port.ts'

const TIMEOUT_MS = 5_000
const MOST_BYTES = 1024 * 1024
const DECIMAL = /^\d{1,20}(\.\d{1,18})?$/

/** A source that answers `{"observedAt": ms, "usd": {"BTC": "65000.1", ...}}`. Prices are strings: JSON numbers are refused. */
export const createHttpRateSource = ({ url }: { url: string }): RateSource => ({
  name: new URL(url).host,
  quotes: async (tickers) => {
    const answer = await request(url, { signal: AbortSignal.timeout(TIMEOUT_MS), headers: { accept: 'application/json' } })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`)
    if (text.length > MOST_BYTES) throw new Error(`${url} answered ${text.length} characters`)
    const { observedAt, usd } = JSON.parse(text) as { observedAt?: unknown; usd?: Record<string, unknown> }
    if (typeof observedAt !== 'number' || typeof usd !== 'object' || usd === null) throw new Error(`${url} answered something else than prices`)
    return tickers.flatMap((ticker): Quote[] => {
      const price = usd[ticker]
      return typeof price === 'string' && DECIMAL.test(price) ? [{ ticker, usd: price, observedAt }] : []
    })
  },
})

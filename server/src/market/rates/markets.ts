import type { Market } from '../../adapters/rates/port.ts'
import type { AgreementRules } from './agreement.ts'
import { PIVOT } from './leg.ts'

/** Currencies: one USDT has a price in them, and not they in USDT. */
const CURRENCIES = new Set(['UAH', 'KZT', 'USD', 'EUR'])

/** The market that prices an asset against USDT. */
export const marketOf = (ticker: string): Market =>
  CURRENCIES.has(ticker) ? { base: PIVOT, quote: ticker } : { base: ticker, quote: PIVOT }

const CRYPTO: AgreementRules = {
  quorum: 2,
  oldestMs: 15_000,
  apartBps: 100n,
  jumpBpsPerMinute: 500n,
  bandBps: null,
  aloneBandBps: null,
}

/**
 * How each leg is judged unless the operator says otherwise. Currencies have fewer venues and an official rate to stay
 * near; tenge has one market in the world that can be read without a key, so that its band stands for the quorum. A
 * single thin book can be moved by who trades against the platform, so that it is believed in a narrower band: what a
 * merchant can gain by moving it is at most that part of what the limits of the position let the platform buy or sell.
 */
const STANDARD_RULES: Readonly<Record<string, AgreementRules>> = {
  UAH: { ...CRYPTO, quorum: 1, jumpBpsPerMinute: 200n, bandBps: 1_000n, aloneBandBps: 300n },
  KZT: { ...CRYPTO, quorum: 1, jumpBpsPerMinute: 200n, bandBps: 1_000n, aloneBandBps: 300n },
  USD: { ...CRYPTO, quorum: 1, jumpBpsPerMinute: 50n, bandBps: null },
  EUR: { ...CRYPTO, quorum: 1, jumpBpsPerMinute: 100n, bandBps: null },
}

export const rulesFor = (ticker: string, given: Readonly<Record<string, Partial<AgreementRules>>>): AgreementRules => ({
  ...(STANDARD_RULES[ticker] ?? CRYPTO),
  ...given[ticker],
})

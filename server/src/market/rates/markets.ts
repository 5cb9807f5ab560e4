import Type, { type Static } from 'typebox'
import type { Market } from '../../adapters/rates/port.ts'
import { count } from '../../platform/config/fields.ts'
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

const standardInWords = (name: keyof AgreementRules): string => {
  const inWords = (rules: AgreementRules): string => (rules[name] === null ? 'none' : String(rules[name]))
  const others = Object.entries(STANDARD_RULES).flatMap(([ticker, rules]) =>
    rules[name] === CRYPTO[name] ? [] : [`${ticker} ${inWords(rules)}`],
  )
  return [inWords(CRYPTO), ...others].join(', ')
}

const BPS = 'hundredths of a percent'
const member = (name: 'quorum' | 'oldestMs' | 'apartBps' | 'jumpBpsPerMinute', description: string, unit?: string) =>
  Type.Optional(count(description, { absent: standardInWords(name), ...(unit !== undefined && { unit }) }))
const band = (name: 'bandBps' | 'aloneBandBps', description: string) =>
  Type.Optional(
    Type.Union([count(''), Type.Null()], {
      description: `${description}; null: not compared`,
      absent: standardInWords(name),
      unit: BPS,
    }),
  )

/** How the market of an asset against USDT is judged, in `BURSAR_EXCHANGE_FILE`. */
export const LEG_SHAPE = Type.Object({
  quorum: member('quorum', 'books that must agree'),
  oldestMs: member('oldestMs', 'an older book is dropped', 'ms'),
  apartBps: member('apartBps', 'a book is dropped whose middle is further from the median of all', BPS),
  jumpBpsPerMinute: member(
    'jumpBpsPerMinute',
    'the market is closed when the median moved further, for each minute since the last one that was believed',
    BPS,
  ),
  bandBps: band('bandBps', 'the market is closed when the median is further from the official rate'),
  aloneBandBps: band('aloneBandBps', 'the same where a single book decides'),
})

export const legRulesOf = ({ quorum, oldestMs, ...bps }: Static<typeof LEG_SHAPE>): Partial<AgreementRules> => ({
  ...(quorum === undefined ? {} : { quorum }),
  ...(oldestMs === undefined ? {} : { oldestMs }),
  ...Object.fromEntries(Object.entries(bps).map(([name, value]) => [name, value === null ? null : BigInt(value)])),
})

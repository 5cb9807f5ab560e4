import Type, { type Static } from 'typebox'
import type { Market } from '../../adapters/rates/port.ts'
import { count } from '../../platform/config/fields.ts'
import type { AgreementRules } from './agreement.ts'
import { PIVOT } from './usdt-market.ts'

/** Currencies. They are the quote of their market: it states the price of one USDT. */
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
 * Default rules of each market. Currencies have fewer venues, and an official rate for comparison. KZT has only one
 * market that can be read without a key, so that the band replaces the quorum. A merchant could move a single thin
 * book, so that its band is narrower. The gain from moving it is at most that part of what the position limits let the
 * platform buy or sell.
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

/** Rules of the market of an asset against USDT, in `BURSAR_EXCHANGE_FILE`. */
export const MARKET_RULES_SHAPE = Type.Object({
  quorum: member('quorum', 'minimum number of books that must agree'),
  oldestMs: member('oldestMs', 'an older book is ignored', 'ms'),
  apartBps: member('apartBps', 'a book is ignored if its mid price deviates more from the median of all', BPS),
  jumpBpsPerMinute: member(
    'jumpBpsPerMinute',
    'the market is closed if the median has moved more than this per minute since the last accepted one',
    BPS,
  ),
  bandBps: band('bandBps', 'the market is closed if the median deviates more from the official rate'),
  aloneBandBps: band('aloneBandBps', 'the same if there is only one book'),
})

export const marketRulesOf = ({
  quorum,
  oldestMs,
  ...bps
}: Static<typeof MARKET_RULES_SHAPE>): Partial<AgreementRules> => ({
  ...(quorum === undefined ? {} : { quorum }),
  ...(oldestMs === undefined ? {} : { oldestMs }),
  ...Object.fromEntries(Object.entries(bps).map(([name, value]) => [name, value === null ? null : BigInt(value)])),
})

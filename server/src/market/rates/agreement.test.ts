import { describe, expect, test } from 'vitest'
import type { Book } from '../../adapters/rates/port.ts'
import { agree, officialDay, officialPrice, type AgreementRules } from './agreement.ts'
import { rulesFor } from './markets.ts'
import { E18 } from './ladder.ts'

const NOW = 1_800_000_000_000
const rules: AgreementRules = {
  quorum: 2,
  oldestMs: 15_000,
  apartBps: 100n,
  jumpBpsPerMinute: 500n,
  bandBps: null,
  aloneBandBps: null,
}
const book = (price: number, age = 0): Book => {
  const middle = BigInt(Math.round(price * 1e6)) * 10n ** 12n
  return {
    base: 'BTC',
    quote: 'USDT',
    observedAt: NOW - age,
    bids: [{ price: (middle * 9999n) / 10_000n, amount: E18 }],
    asks: [{ price: (middle * 10_001n) / 10_000n, amount: E18 }],
  }
}
const seen = (books: Record<string, Book>) => Object.entries(books).map(([source, one]) => ({ source, book: one }))
const judge = (books: Record<string, Book>, more: Partial<Parameters<typeof agree>[1]> = {}) =>
  agree(seen(books), { rules, now: NOW, last: undefined, official: undefined, ...more })
const middle = (answer: ReturnType<typeof agree>) =>
  answer.kind === 'open' ? Number(answer.middle / 10n ** 12n) / 1e6 : answer.reason

describe('X2 sources that lie never move a price', () => {
  const honest = { a: book(65_000), b: book(65_100) }
  const lies: [string, Book][] = [
    ['one at 1:1', book(1)],
    ['one at zero', { ...book(1), bids: [{ price: 0n, amount: 0n }], asks: [{ price: 0n, amount: 0n }] }],
    ['one ten times off', book(650_000)],
    ['a hundredth', book(650)],
    ['a stale one', book(60_000, 16_000)],
    ['one from the future', { ...book(65_500), observedAt: NOW + 60_000 }],
    ['an empty one', { ...book(1), bids: [], asks: [] }],
    ['a crossed one', { ...book(65_000), bids: [{ price: 66_000n * E18, amount: E18 }] }],
  ]
  test.each(lies)('%s', (_, lie) => {
    const answer = judge({ ...honest, liar: lie })
    expect(middle(answer)).toBe(65_050)
    expect(answer.dropped.map(({ source }) => source)).toEqual(['liar'])
    // and one alone is not enough
    expect(judge({ a: honest.a, liar: lie }).kind).toBe('closed')
  })

  test('two with very different prices close the asset: neither can be trusted over the other', () => {
    expect(judge({ a: book(65_000), b: book(70_000) }).kind).toBe('closed')
  })

  test('all of them jumping ten times', () => {
    const last = { middle: 65_000n * E18, at: NOW - 5_000 }
    expect(middle(judge({ a: book(650_000), b: book(650_000) }, { last }))).toMatch(/jumped from 65000.0+ to 650000/)
    expect(middle(judge({ a: book(66_000), b: book(66_000) }, { last }))).toBe(66_000)
  })

  test('a real fall is believed once enough time has passed for it', () => {
    const fallen = { a: book(50_000), b: book(50_000) }
    const last = (minutes: number) => ({ middle: 65_000n * E18, at: NOW - minutes * 60_000 })
    expect(judge(fallen, { last: last(3) }).kind).toBe('closed')
    expect(judge(fallen, { last: last(5) }).kind).toBe('open')
  })
})

describe('an official band', () => {
  const banded = { ...rules, quorum: 1, bandBps: 1_000n }
  test('closes a price outside of the band, and every price if there is no official rate', () => {
    expect(judge({ a: book(41) }, { rules: banded, official: 41n * E18 }).kind).toBe('open')
    expect(middle(judge({ a: book(46) }, { rules: banded, official: 41n * E18 }))).toMatch(
      /more than 10 % from the official 41\.0+$/,
    )
    expect(middle(judge({ a: book(41) }, { rules: banded }))).toBe('no official rate to compare with')
  })

  test('audit F-9.4: is narrower where a single book decides', () => {
    const narrow = { ...banded, aloneBandBps: 300n }
    expect(middle(judge({ a: book(43) }, { rules: narrow, official: 41n * E18 }))).toMatch(
      /more than 3 % from the official/,
    )
    expect(judge({ a: book(42) }, { rules: narrow, official: 41n * E18 }).kind).toBe('open')
    expect(judge({ a: book(43), b: book(43) }, { rules: narrow, official: 41n * E18 }).kind).toBe('open')
    for (const ticker of ['UAH', 'KZT'])
      expect(rulesFor(ticker, {})).toMatchObject({ bandBps: 1_000n, aloneBandBps: 300n })
  })

  test.each(['2026-11-23T00:00:00+02:00', '2026-07-23T00:00:00+03:00', '2026-11-23T00:00:00+05:00'])(
    "audit D-B9: the day of an official rate is the bank's (row R-1): %s",
    (midnight) => {
      expect(officialDay({ observedAt: Date.parse(midnight) })).toBe(midnight.slice(0, 10))
    },
  )

  test('is the fresh rate of the currency', () => {
    const rates = [
      { ticker: 'UAH', perUsd: 41n, observedAt: NOW },
      { ticker: 'UAH', perUsd: 20n, observedAt: NOW - 10 },
      { ticker: 'KZT', perUsd: 500n, observedAt: NOW },
    ]
    expect(officialPrice(rates, 'UAH', NOW - 5)).toBe(41n)
    expect(officialPrice(rates, 'USD', 0)).toBeUndefined()
  })
})

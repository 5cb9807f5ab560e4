/** Rules of payouts as values: which are stricter, and the hours of a day. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  allowsHour,
  DEFAULT_RULES,
  hoursBetween,
  isLooser,
  isValidRules,
  readRules,
  spanOf,
  storedRules,
  strictest,
  type AssetRule,
  type PayoutRules,
} from './rules.ts'

const units = fc.bigInt({ min: 0n, max: 20n })
const limit = fc.option(units, { nil: null })
const rule: fc.Arbitrary<AssetRule> = fc.record({
  alone: units,
  approvals: fc.integer({ min: 1, max: 5 }),
  mostHour: limit,
  mostDay: limit,
  api: units,
})
const rules: fc.Arbitrary<PayoutRules> = fc.record({
  assets: fc.dictionary(fc.constantFrom('BTC', 'USDT', 'ETH'), rule).map((found) => new Map(Object.entries(found))),
  onlyBook: fc.boolean(),
  hours: fc.integer({ min: 1, max: 2 ** 24 - 1 }),
  coolingHours: fc.integer({ min: 0, max: 720 }),
  isApiLimited: fc.boolean(),
})

describe('the strictest of two rules', () => {
  test('is never looser than either, and is looser than none of them exactly when they are equal', () => {
    fc.assert(
      fc.property(rules, rules, (one, other) => {
        const both = strictest(one, other)
        expect([isLooser(both, one), isLooser(both, other)]).toEqual([false, false])
        expect(isLooser(one, one)).toBe(false)
        if (!isLooser(one, other) && !isLooser(other, one)) expect(strictest(one, other)).toEqual(strictest(other, one))
      }),
    )
  })

  test.each<[string, Partial<PayoutRules>, boolean]>([
    [
      'an amount without approval',
      { assets: new Map([['BTC', { alone: 1n, approvals: 1, mostHour: null, mostDay: null, api: 0n }]]) },
      true,
    ],
    [
      'more approvals',
      { assets: new Map([['BTC', { alone: 0n, approvals: 2, mostHour: null, mostDay: null, api: 0n }]]) },
      false,
    ],
    [
      'a limit of an hour',
      { assets: new Map([['BTC', { alone: 0n, approvals: 1, mostHour: 0n, mostDay: null, api: 0n }]]) },
      false,
    ],
    ['the address book only', { onlyBook: true }, false],
    ['fewer hours', { hours: 1 }, false],
    ['a shorter waiting time', { coolingHours: 1 }, true],
    ['a longer waiting time', { coolingHours: 48 }, false],
  ])('%s: looser than no policy: %s', (_, more, looser) => {
    const next = { ...DEFAULT_RULES, ...more }
    expect(isLooser(next, DEFAULT_RULES)).toBe(looser)
    expect(isLooser(DEFAULT_RULES, next)).toBe(!looser)
  })
})

test('rules are read as they were stored', () => {
  fc.assert(
    fc.property(rules, (one) => {
      const text = JSON.stringify(storedRules(one))
      expect(readRules(JSON.parse(text) as ReturnType<typeof storedRules>)).toEqual(one)
      expect(isValidRules(one)).toBe(true)
    }),
  )
})

test('hours reach from one to another, over midnight too, and equal ones mean the whole day', () => {
  const at = (hour: number): Date => new Date(Date.UTC(2026, 0, 1, hour, 59))
  const allowed = (hours: number): number[] =>
    [...Array(24).keys()].filter((hour) => allowsHour({ ...DEFAULT_RULES, hours }, at(hour)))
  expect(allowed(hoursBetween(8, 10))).toEqual([8, 9])
  expect(allowed(hoursBetween(22, 2))).toEqual([0, 1, 22, 23])
  expect(allowed(hoursBetween(5, 5))).toHaveLength(24)
  for (const [from, to] of [
    [8, 10],
    [22, 2],
    [0, 23],
    [0, 0],
  ] as const)
    expect(spanOf(hoursBetween(from, to))).toEqual([from, to])
})

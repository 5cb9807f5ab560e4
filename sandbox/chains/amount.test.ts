import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatAmount, parseAmount } from './amount.ts'

test('a formatted amount parses to the same units', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n - 1n }), fc.integer({ min: 10, max: 18 }), (units, decimals) => {
      expect(parseAmount(formatAmount(units, decimals), decimals)).toBe(units)
    }),
  )
})

test.for([
  '',
  '.',
  '1.',
  '.5',
  '-1',
  '+1',
  '01',
  '1,5',
  '0x10',
  '1e3',
  'NaN',
  ' 1',
  '1 ',
  '1'.repeat(31),
  '0',
  '0.0',
  '0.000000001',
])('refuses %j', (text) => {
  expect(() => parseAmount(text, 8)).toThrow(/^amount: send/)
})

test('has no trailing zeros', () => {
  expect([formatAmount(0n, 8), formatAmount(150_000_000n, 8), formatAmount(1n, 18), formatAmount(7n, 0)]).toEqual([
    '0',
    '1.5',
    '0.000000000000000001',
    '7',
  ])
})

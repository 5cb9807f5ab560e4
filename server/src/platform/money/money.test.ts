import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allocate, formatUnits, mulDiv, parseUnits, rescale, unitsOf } from './index.ts'

const scale = fc.integer({ min: 0, max: 18 })
const units = fc.bigInt({ min: 0n, max: 10n ** 40n })

describe('decimal strings', () => {
  test('a printed amount parses back to the same units, up to the 30 whole digits of the contract', () => {
    const most = 10n ** 30n - 1n
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: most }), scale, (u, s) => {
        expect(parseUnits(formatUnits(u, s), s)).toEqual({ ok: true, units: u })
      }),
      { examples: [[most, 0]] },
    )
    expect(parseUnits(formatUnits(most + 1n, 0), 0)).toEqual({ ok: false, refusal: 'grammar' })
  })

  test('nothing is printed with an exponent, trailing zeros or a needless dot', () => {
    fc.assert(
      fc.property(units, scale, (u, s) => {
        expect(formatUnits(u, s)).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/)
      }),
    )
    expect(formatUnits(-1050n, 3)).toBe('-1.05')
  })

  test.each([
    '1e3',
    '+1',
    ' 1',
    '1 ',
    '.5',
    '5.',
    '',
    '0x10',
    '1_000',
    '-0',
    '-1',
    '1,5',
    'NaN',
    'Infinity',
    '１',
    '٣',
    '1\n',
    '1.2.3',
    '1'.repeat(31),
    `0.${'1'.repeat(19)}`,
    '0b1',
    '1n',
    'null',
    '١.٥',
    '1.',
    '--1',
    '1e-7',
    '∞',
  ])('L13 refuses %j', (text) => {
    expect(parseUnits(text, 18)).toEqual({ ok: false, refusal: 'grammar' })
  })

  test('L14 digits finer than the scale are refused, never rounded; zeros there are no digits', () => {
    expect(parseUnits('1.0000001', 6)).toEqual({ ok: false, refusal: 'precision' })
    expect(parseUnits('12.000', 0)).toEqual({ ok: true, units: 12n })
    expect(parseUnits('1.230000000', 2)).toEqual({ ok: true, units: 123n })
    expect(() => unitsOf('0.001', 2)).toThrow('at most 2 decimals')
  })
})

describe('ratios', () => {
  test('each rounding rounds as its name says', () => {
    fc.assert(
      fc.property(units, units, fc.bigInt({ min: 1n, max: 10n ** 30n }), (a, b, c) => {
        const [down, up, even] = (['down', 'up', 'half-even'] as const).map((r) => mulDiv(a, b, c, r))
        expect(down! * c <= a * b && up! * c >= a * b).toBe(true)
        expect(up! - down!).toBe((a * b) % c === 0n ? 0n : 1n)
        expect(even === down || even === up).toBe(true)
      }),
    )
    expect([1n, 3n, 5n].map((n) => mulDiv(n, 1n, 2n, 'half-even'))).toEqual([0n, 2n, 2n])
  })

  test('parts of a split add up to the whole, and each part is within one unit of its share', () => {
    const weights = fc.array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(
        units,
        weights.filter((w) => w.some((x) => x > 0n)),
        (total, ws) => {
          const parts = allocate(total, ws)
          const sum = ws.reduce((a, b) => a + b, 0n)
          expect(parts.reduce((a, b) => a + b, 0n)).toBe(total)
          parts.forEach((part, i) => {
            const share = (total * ws[i]!) / sum
            expect(part === share || part === share + 1n).toBe(true)
          })
        },
      ),
    )
  })
})

test('rescaling is exact or refused', () => {
  expect(rescale(1_500_000n, 6, 18)).toBe(1_500_000_000_000_000_000n)
  expect(rescale(1_500_000_000_000_000_000n, 18, 6)).toBe(1_500_000n)
  expect(() => rescale(1n, 18, 6)).toThrow('do not fit')
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalNumber, readJsonDecimals, textOf } from './json-decimals.ts'

describe('numbers of JSON as they are written', () => {
  test.each(['100', '100.00', '100.5', '0.10', '1e2', '-0', '99999999999999.99', '0.30000000000000004'])(
    '%s',
    (digits) => {
      expect(readJsonDecimals(`{"amount": ${digits} }`)).toEqual({ amount: digits })
    },
  )

  test('also within lists and objects; text, null and truth stay', () => {
    expect(readJsonDecimals('{"a":[1.0,{"b":2.50}],"c":"1.0","d":null,"e":true}')).toEqual({
      a: ['1.0', { b: '2.50' }],
      c: '1.0',
      d: null,
      e: true,
    })
  })

  test.each(['', '[]', 'null', '1', '"x"', '{', '{"a":1}x'])('%j is no object', (text) => {
    expect(() => readJsonDecimals(text)).toThrow(SyntaxError)
  })

  test('are written with these very digits, and read back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.integer({ min: 0, max: 99 }), (whole, cents) => {
        const digits = `${whole}.${String(cents).padStart(2, '0')}`
        expect(readJsonDecimals(JSON.stringify({ amount: decimalNumber(digits) }))).toEqual({ amount: digits })
      }),
    )
  })

  test.each(['', '1,5', '1e5', '-1', '1.', '.5', '1.234', 'NaN', '"1"'])('%j is not written as a number', (text) => {
    expect(() => decimalNumber(text)).toThrow(RangeError)
  })

  test('a field that is absent, null, or something else than text is empty', () => {
    expect(['a', 'b', 'c', 'toString', '__proto__'].map((name) => textOf({ a: 'x', b: null, c: {} }, name))).toEqual([
      'x',
      '',
      '',
      '',
      '',
    ])
  })
})

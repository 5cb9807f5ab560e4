import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_SATOSHI, btcText, parseRpcJson, satoshiOf } from './amount.ts'

describe('satoshiOf', () => {
  test.each([
    ['0.00000001', 1n],
    ['1e-8', 1n],
    ['1E+2', 10_000_000_000n],
    ['0.1', 10_000_000n],
    ['0.29', 29_000_000n],
    ['20999999.9769', 2_099_999_997_690_000n],
    ['21000000', MAX_SATOSHI],
    ['0', 0n],
    ['0.0000000010', undefined],
    ['0.000000010', 1n],
    ['0e-9', 0n],
    ['21000000.00000001', undefined],
    ['1e99', undefined],
    ['-0.1', undefined],
    ['1.', undefined],
    ['.1', undefined],
    ['', undefined],
    [' 1', undefined],
    ['0x10', undefined],
    ['NaN', undefined],
    ['1_000', undefined],
    ['١', undefined],
  ])('of %j is %s', (text, satoshi) => {
    if (satoshi === undefined) expect(() => satoshiOf(text)).toThrow(RangeError)
    else expect(satoshiOf(text)).toBe(satoshi)
  })

  test('undoes btcText', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_SATOSHI }), (satoshi) => {
        expect(satoshiOf(btcText(satoshi))).toBe(satoshi)
      }),
    )
  })
})

describe('parseRpcJson', () => {
  test('keeps amounts as they were written and whole numbers as numbers', () => {
    const text = '{"value":0.10000000,"fee":1e-8,"height":840000,"time":-1,"big":12345678901234567890,"list":[0.5,2]}'
    expect(parseRpcJson(text)).toEqual({
      value: '0.10000000',
      fee: '1e-8',
      height: 840000,
      time: -1,
      big: '12345678901234567890',
      list: ['0.5', 2],
    })
  })

  test('loses no satoshi that a float would lose', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_SATOSHI }), (satoshi) => {
        const { value } = parseRpcJson(`{"value":${btcText(satoshi)}}`) as { value: string }
        expect(satoshiOf(value)).toBe(satoshi)
      }),
    )
  })
})

import { expect, test } from 'vitest'
import { Purse } from './purse.ts'

test('pays an amount and its fee, both or neither, also where they are of one asset', () => {
  const purse = new Purse(
    new Map([
      ['TRX', 10n],
      ['USDT', 5n],
    ]),
  )
  expect(
    purse.pay([
      { ticker: 'USDT', units: 4n },
      { ticker: 'TRX', units: 11n },
    ]),
  ).toBe('TRX')
  expect(purse.left('USDT')).toBe(5n)
  expect(
    purse.pay([
      { ticker: 'TRX', units: 6n },
      { ticker: 'TRX', units: 5n },
    ]),
  ).toBe('TRX')
  expect(
    purse.pay([
      { ticker: 'TRX', units: 6n },
      { ticker: 'TRX', units: 4n },
    ]),
  ).toBeUndefined()
  expect(purse.left('TRX')).toBe(0n)
  expect(purse.lacks('BTC', 1n)).toBe(true)
})

import { expect, test } from 'vitest'
import { HotBalance } from './hot-wallet.ts'

test('pays an amount and its fee, both or neither, also where they are of one asset', () => {
  const hotBalance = new HotBalance(
    new Map([
      ['TRX', 10n],
      ['USDT', 5n],
    ]),
  )
  expect(
    hotBalance.pay([
      { ticker: 'USDT', units: 4n },
      { ticker: 'TRX', units: 11n },
    ]),
  ).toBe('TRX')
  expect(hotBalance.left('USDT')).toBe(5n)
  expect(
    hotBalance.pay([
      { ticker: 'TRX', units: 6n },
      { ticker: 'TRX', units: 5n },
    ]),
  ).toBe('TRX')
  expect(
    hotBalance.pay([
      { ticker: 'TRX', units: 6n },
      { ticker: 'TRX', units: 4n },
    ]),
  ).toBeUndefined()
  expect(hotBalance.left('TRX')).toBe(0n)
  expect(hotBalance.lacks('BTC', 1n)).toBe(true)
})

import { expect, test } from 'vitest'
import { readLimitedPolicy } from './index.ts'
import { catalogue } from './test-world.ts'

const limited = (...tickers: string[]) =>
  Object.fromEntries(tickers.map((ticker) => [ticker, { long: '1000', short: '1000' }]))

test('audit F-9.3: an exchange whose assets have no limits of the position does not start, and says which', () => {
  expect(() => readLimitedPolicy(catalogue, {})).toThrow(
    /assets\.BTC\.long, assets\.BTC\.short.*assets\.KZT\.short missing/,
  )
  expect(() =>
    readLimitedPolicy(catalogue, { assets: { ...limited('BTC', 'ETH', 'UAH', 'KZT'), USDT: { long: '1000' } } }),
  ).toThrow(/^exchange: assets\.USDT\.short missing/)
  expect(
    readLimitedPolicy(catalogue, { assets: limited('BTC', 'ETH', 'USDT', 'UAH', 'KZT') }).assets.get('UAH'),
  ).toMatchObject({ long: 1_000_00n, short: 1_000_00n })
})

test('audit F-9.3: an asset that is in no open pair needs none', () => {
  const closed = Object.fromEntries(
    ['BTC', 'ETH', 'USDT', 'UAH'].flatMap((ticker) => [[`${ticker}/KZT`, { closed: true }]]),
  )
  expect(
    readLimitedPolicy(catalogue, { assets: limited('BTC', 'ETH', 'USDT', 'UAH'), pairs: closed }).assets.get('KZT'),
  ).toMatchObject({ long: null, short: null })
})

import { expect, test } from 'vitest'
import { readExchangePolicy, readLimitedPolicy } from './index.ts'
import { catalogue } from '../../../../test/world/exchange.ts'

const limited = (...tickers: string[]) =>
  Object.fromEntries(tickers.map((ticker) => [ticker, { long: '1000', short: '1000' }]))

test('audit F-9.3: an exchange whose assets have no limits of the position does not start, and the error names them', () => {
  expect(() => readLimitedPolicy(catalogue, {})).toThrow(
    /assets\.BTC\.long is missing.*assets\.BTC\.short is missing.*assets\.KZT\.short is missing/,
  )
  expect(() =>
    readLimitedPolicy(catalogue, { assets: { ...limited('BTC', 'ETH', 'UAH', 'KZT'), USDT: { long: '1000' } } }),
  ).toThrow(/^exchange\.assets\.USDT\.short is missing: [^;]*$/)
  expect(
    readLimitedPolicy(catalogue, { assets: limited('BTC', 'ETH', 'USDT', 'UAH', 'KZT') }).assets.get('UAH'),
  ).toMatchObject({ long: 1_000_00n, short: 1_000_00n })
})

test('audit F-9.3: an asset without an open pair needs no limit', () => {
  const closed = Object.fromEntries(
    ['BTC', 'ETH', 'USDT', 'UAH'].flatMap((ticker) => [[`${ticker}/KZT`, { closed: true }]]),
  )
  expect(
    readLimitedPolicy(catalogue, { assets: limited('BTC', 'ETH', 'USDT', 'UAH'), pairs: closed }).assets.get('KZT'),
  ).toMatchObject({ long: null, short: null })
})

test('everything that does not fit the assets is listed at once', () => {
  expect(() =>
    readExchangePolicy(catalogue, {
      assets: { DOGE: {}, BTC: { min: '0', max: '0.0000000001' }, ETH: { min: '2', max: '1' }, UAH: { step: '20' } },
      pairs: { 'USDT/BTC': {}, 'BTC/DOGE': {} },
    }),
  ).toThrow(
    [
      'exchange.assets.DOGE: there is no such asset in BURSAR_ASSETS_FILE',
      'exchange.pairs.USDT/BTC: write a pair such as BTC/USDT, .*',
      'exchange.pairs.BTC/DOGE: write a pair such as BTC/USDT, .*',
      'exchange.assets.BTC.min: write an amount above 0 of at most 8 decimals',
      'exchange.assets.BTC.max: write an amount above 0 of at most 8 decimals',
      'exchange.assets.ETH: max is below min',
      'exchange.assets.UAH: write multiples of the step as min and max',
    ].reduce((all, one) => new RegExp(`${all.source}.*${one.replaceAll('/', '.')}`), /^/),
  )
})

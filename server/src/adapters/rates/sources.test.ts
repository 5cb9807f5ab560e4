import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SOURCES, startMarket, type Market } from '../../../../sandbox/market/index.ts'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BookSource } from './port.ts'
import { officialPrice } from '../../market/rates/agreement.ts'
import { readShape } from '../../platform/config/shape.ts'
import { createSources, SOURCES_SHAPE } from './sources.ts'

const NOW = 1_800_000_000_000
const E18 = 10n ** 18n
const usd = {
  BTC: '65000',
  ETH: '2500',
  BNB: '600',
  TRX: '0.25',
  USDT: '1',
  USDC: '1',
  UAH: '0.0249',
  KZT: '0.0019',
  EUR: '1.09',
}
let market: Market
beforeAll(async () => {
  market = await startMarket({ port: 0, usd: () => usd, now: () => NOW })
})
afterAll(() => market.stop())
beforeEach(() => SOURCES.forEach((source) => market.setFault(source, undefined)))

const all = (origin = market.url) => {
  const at = { origin }
  return createSources(
    { venues: { binance: at, kraken: at, bybit: at, whitebit: at }, official: { nbu: at, nbk: at } },
    () => NOW,
  )
}
const named = (name: string): BookSource => all().books.find((source) => source.name === name)!

describe.each(['binance', 'kraken', 'bybit', 'whitebit'])('%s', (name) => {
  test('shows the book of a market, best first, in 1e-18', async () => {
    const book = await named(name).book({ base: 'BTC', quote: 'USDT' })
    expect(book).toMatchObject({ base: 'BTC', quote: 'USDT', observedAt: NOW })
    expect(book.bids).toHaveLength(20)
    expect(book.bids[0]).toEqual({ price: 64_974n * E18, amount: 30_769_231n * 10n ** 10n })
    expect(book.asks[0]!.price).toBe(65_026n * E18)
  })

  test('serves its own pairs and no others', () => {
    expect(named(name).serves({ base: 'BTC', quote: 'USDT' })).toBe(true)
    expect(named(name).serves({ base: 'USDT', quote: 'UAH' })).toBe(name === 'whitebit')
    expect(named(name).serves({ base: 'USDT', quote: 'KZT' })).toBe(name === 'binance')
  })

  test.each(['html', 'down'] as const)('that is %s has no book', async (kind) => {
    market.setFault(name as never, { kind })
    await expect(named(name).book({ base: 'BTC', quote: 'USDT' })).rejects.toThrow(name)
  })
})

test('a venue that says when its book was so is believed about it', async () => {
  for (const name of ['bybit', 'whitebit'] as const) {
    market.setFault(name, { kind: 'stale' })
    expect((await named(name).book({ base: 'BTC', quote: 'USDT' })).observedAt).toBe(NOW - 3_600_000)
  }
})

test('official rates are per dollar, of the day they hold for', async () => {
  const [nbu, nbk] = await Promise.all(all().official.map((source) => source.rates()))
  expect(nbu).toEqual([
    { ticker: 'UAH', perUsd: 401_606n * 10n ** 14n, observedAt: Date.parse('2027-01-15T00:00:00+02:00') },
  ])
  expect(nbk).toEqual([
    { ticker: 'KZT', perUsd: 5_263_158n * 10n ** 14n, observedAt: Date.parse('2027-01-15T00:00:00+05:00') },
  ])
})

describe('recorded answers of real sources, and invalid ones', () => {
  let server: Server
  let reply = ''
  beforeAll(async () => {
    server = createServer((_, response) => void response.end(reply))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })
  const source = (name: string) =>
    all(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).books.find((one) => one.name === name)!
  const official = (i: number) => all(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).official[i]!
  const best = async (name: string, answer: string) => {
    reply = answer
    const { bids, asks } = await source(name).book({ base: 'BTC', quote: 'USDT' })
    return [bids[0]?.price, asks[0]?.price]
  }

  // The samples of the venues' own documentation.
  test.each([
    [
      'binance',
      '{"lastUpdateId":1027024,"bids":[["4.00000000","431.00000000"]],"asks":[["4.00000200","12.00000000"]]}',
      4n * E18,
      4_000_002n * 10n ** 12n,
    ],
    [
      'kraken',
      '{"error":[],"result":{"XXBTZUSD":{"asks":[["30384.10000","2.059",1688671659]],"bids":[["30297.00000","1.115",1688671636]]}}}',
      30_297n * E18,
      303_841n * 10n ** 17n,
    ],
    [
      'bybit',
      '{"retCode":0,"retMsg":"OK","result":{"s":"BTCUSDT","a":[["65557.7","16.606555"]],"b":[["65485.47","47.081829"]],"ts":1716863719031,"u":230704,"seq":1432604333,"cts":1716863718905},"retExtInfo":{},"time":1716863719382}',
      6_548_547n * 10n ** 16n,
      655_577n * 10n ** 17n,
    ],
    [
      'whitebit',
      '{"ticker_id":"BTC_USDT","timestamp":1594391413,"asks":[["9184.41","0.773162"],["9181.74","0.223212"]],"bids":[["9181.3","9.9"]]}',
      91_813n * 10n ** 17n,
      918_441n * 10n ** 16n,
    ],
  ])('%s', async (name, answer, bid, ask) => expect(await best(name, answer)).toEqual([bid, ask]))

  test.each([
    ['binance', '{"code":-1121,"msg":"Invalid symbol."}'],
    ['binance', '{"bids":[[4.0,431]],"asks":[["1e9","1"]]}'],
    ['kraken', '{"error":["EQuery:Unknown asset pair"]}'],
    ['bybit', '{"retCode":10001,"retMsg":"params error","result":{}}'],
    ['whitebit', '{"success":false,"message":"ERR","params":[]}'],
    ['whitebit', 'null'],
    ['kraken', '[]'],
  ])('%s answering %s has no book', async (name, answer) => {
    reply = answer
    await expect(source(name).book({ base: 'BTC', quote: 'USDT' })).rejects.toThrow(name)
  })

  test('a number keeps its digits, and a quantity divides', async () => {
    reply = '[{"r030":840,"txt":"Долар США","rate":42.07123456789012345,"cc":"USD","exchangedate":"21.11.2026"}]'
    expect(await official(0).rates()).toMatchObject([{ perUsd: 4_207_123_456_789_012_345n * 10n }])
    reply =
      '<rss><channel><item><title>USD</title><pubDate>21.11.26</pubDate><description>4436.2</description><quant>10</quant></item></channel></rss>'
    expect(await official(1).rates()).toEqual([
      { ticker: 'KZT', perUsd: 44_362n * 10n ** 16n, observedAt: Date.parse('2026-11-21T00:00:00+05:00') },
    ])
  })

  // The moments are of Kyiv's winter time, two hours ahead of UTC.
  test.each([
    ['Friday 15:59', '2026-11-20T13:59:00Z', '2026-11-20'],
    ['Friday 16:00', '2026-11-20T14:00:00Z', '2026-11-23'],
    ['Saturday', '2026-11-21T10:00:00Z', '2026-11-23'],
    ['Sunday 17:00', '2026-11-22T15:00:00Z', '2026-11-23'],
    ['Monday 16:00', '2026-11-23T14:00:00Z', '2026-11-24'],
  ])(
    'audit D-B9: the rate of the National Bank of Ukraine may be dated tomorrow, and is a band at once (row R-1): %s',
    async (_when, moment, day) => {
      const now = Date.parse(moment)
      const bank = await startMarket({ port: 0, usd: () => ({ UAH: '0.025', USD: '1' }), now: () => now })
      try {
        const rates = await all(bank.url).official[0]!.rates()
        expect(rates).toMatchObject([{ ticker: 'UAH', observedAt: Date.parse(`${day}T00:00:00+02:00`) }])
        expect(officialPrice(rates, 'UAH', now - 5 * 86_400_000)).toBe(rates[0]!.perUsd)
      } finally {
        await bank.stop()
      }
    },
  )

  test.each([
    '[]',
    '{}',
    '[{"cc":"USD","rate":0,"exchangedate":"21.11.2026"}]',
    '[{"cc":"USD","rate":41.1,"exchangedate":"tomorrow"}]',
  ])('nbu answering %s has no rate', async (answer) => {
    reply = answer
    await expect(official(0).rates()).rejects.toThrow('nbu')
  })

  test.each([
    '<html></html>',
    '',
    '<rss><channel><item><title>EUR</title></item></channel></rss>',
    '<!DOCTYPE r [<!ENTITY e "1">]><rss><channel><item><title>USD</title><quant>&e;</quant></item></channel></rss>',
  ])('nbk answering %s has no rate', async (answer) => {
    reply = answer
    await expect(official(1).rates()).rejects.toThrow('nbk')
  })
})

test('an unknown setting is named', () => {
  expect(() => readShape(SOURCES_SHAPE, { venues: { mtgox: {} } })).toThrow(
    'venues.mtgox is unknown: there are binance, kraken',
  )
  expect(() => readShape(SOURCES_SHAPE, { venues: { kraken: { origin: 'https://x.example/path' } } })).toThrow(
    'venues.kraken.origin: write an origin',
  )
})

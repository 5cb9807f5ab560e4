/** Answers of price sources with anything changed in them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { mutatedJson, mutatedText, type Mutation } from '../../../../test/world/mutations.ts'
import { createHttpRateSource } from './http.ts'
import type { Level } from './port.ts'
import { createSources } from './sources.ts'

const NOW = 1_800_000_000_000
let reply = ''
let origin = ''
beforeAll(async () => {
  const server = createServer((_, response) => void response.end(reply))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return () => {
    server.close()
    server.closeAllConnections()
  }
})

const sources = () => {
  const at = { origin }
  return createSources(
    { venues: { binance: at, kraken: at, bybit: at, whitebit: at }, official: { nbu: at, nbk: at } },
    () => NOW,
  )
}

/** A source has no price: an error of its own words, not one of the language. */
const isOwnError = (error: unknown, name: string): boolean =>
  error instanceof Error && !(error instanceof TypeError) && error.message.startsWith(name)

const checkTime = (time: number): void => {
  expect(Number.isFinite(time) && time >= 0, String(time)).toBe(true)
  expect(Number.isNaN(new Date(time).getTime())).toBe(false)
}
const checkLevels = (levels: readonly Level[]): string[] =>
  levels.map(({ price, amount }) => {
    for (const value of [price, amount]) {
      expect(typeof value).toBe('bigint')
      expect(value >= 0n).toBe(true)
    }
    return `${price} ${amount}`
  })

const expectReadAsSaid = async (
  name: string,
  texts: fc.Arbitrary<Mutation>,
  right: string,
  read: () => Promise<string[]>,
): Promise<void> => {
  reply = right
  const prices = await read()
  expect(prices.length).toBeGreaterThan(0)
  await fc.assert(
    fc.asyncProperty(texts, async ({ text, isRetyped }) => {
      reply = text
      try {
        const found = await read()
        if (isRetyped) expect(prices).toEqual(expect.arrayContaining(found))
      } catch (error) {
        if (!isOwnError(error, name)) throw error
      }
    }),
    { numRuns: cases(50) },
  )
}

// The samples of the venues' own documentation, with eighteen decimals, so that no further digit counts.
const BOOKS: Readonly<Record<string, string>> = {
  binance:
    '{"lastUpdateId":1027024,"bids":[["4.000000000000000001","431.000000000000000001"]],"asks":[["4.000002000000000001","12.000000000000000001"]]}',
  kraken:
    '{"error":[],"result":{"XXBTZUSD":{"asks":[["30384.100000000000000001","2.059000000000000001",1688671659]],"bids":[["30297.000000000000000001","1.115000000000000001",1688671636]]}}}',
  bybit:
    '{"retCode":0,"retMsg":"OK","result":{"s":"BTCUSDT","a":[["65557.700000000000000001","16.606555000000000001"]],"b":[["65485.470000000000000001","47.081829000000000001"]],"ts":1716863719031,"u":230704,"seq":1432604333,"cts":1716863718905},"retExtInfo":{},"time":1716863719382}',
  whitebit:
    '{"ticker_id":"BTC_USDT","timestamp":1594391413,"asks":[["9184.410000000000000001","0.773162000000000001"]],"bids":[["9181.300000000000000001","9.900000000000000001"]]}',
}

describe('a book with any change in it is read exactly or refused', () => {
  test.each(Object.entries(BOOKS))('%s', async (name, right) => {
    await expectReadAsSaid(name, mutatedJson(right), right, async () => {
      const source = sources().books.find((one) => one.name === name)!
      const { bids, asks, observedAt } = await source.book({ base: 'BTC', quote: 'USDT' })
      checkTime(observedAt)
      return [...checkLevels(bids), ...checkLevels(asks)]
    })
  })
})

const NBU = '[{"r030":840,"txt":"Долар США","rate":42.071234567890123456,"cc":"USD","exchangedate":"21.11.2026"}]'
const NBK =
  '<rss><channel><item><title>USD</title><pubDate>21.11.26</pubDate><description>4436.2</description><quant>10</quant></item></channel></rss>'

describe('an official rate with any change in it is read exactly or refused', () => {
  const read = (at: number) => async () => {
    const rates = await sources().official[at]!.rates()
    return rates.map(({ ticker, perUsd, observedAt }) => {
      checkTime(observedAt)
      expect(perUsd > 0n).toBe(true)
      return `${ticker} ${perUsd}`
    })
  }
  test('the National Bank of Ukraine', async () => {
    await expectReadAsSaid('nbu', mutatedJson(NBU), NBU, read(0))
  })
  test('the National Bank of Kazakhstan', async () => {
    const texts = mutatedText(NBK).map((text) => ({ text, isRetyped: false }))
    await expectReadAsSaid('nbk', texts, NBK, read(1))
  })

  test.each([
    ['nbu', 0, NBU.replace('21.11.2026', '99.99.2026')],
    ['nbk', 1, NBK.replace('21.11.26', '99.99.26')],
  ])('%s with an invalid day has no rate', async (name, at, text) => {
    reply = text
    await expect(sources().official[at]!.rates()).rejects.toThrow(name)
  })
})

test('a venue whose book has no time of day has no book', async () => {
  reply = BOOKS['bybit']!.replace('1716863719031', '"soon"')
  await expect(
    sources()
      .books.find(({ name }) => name === 'bybit')!
      .book({ base: 'BTC', quote: 'USDT' }),
  ).rejects.toThrow('bybit')
})

test('prices over HTTP with any change in them are read exactly or refused', async () => {
  const right = '{"observedAt":1800000000000,"usd":{"BTC":"65000.100000000000000001","UAH":"0.024100000000000001"}}'
  const source = createHttpRateSource({ url: origin })
  await expectReadAsSaid(source.name, mutatedJson(right), right, async () =>
    (await source.quotes(['BTC', 'UAH', 'constructor', '__proto__'])).map(({ ticker, usd, observedAt }) => {
      expect(usd).toMatch(/^\d{1,30}(\.\d{1,18})?$/)
      checkTime(observedAt)
      return `${ticker} ${usd}`
    }),
  )
})

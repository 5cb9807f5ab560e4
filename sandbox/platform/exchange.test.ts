/** The sandbox starts without a network whose node is missing: its settings then name no asset of it. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/setup/temporary.ts'
import { writeExchangeFile } from './exchange.ts'

test('the exchange settings name no asset that the sandbox does not serve', () => {
  const folder = temporaryFolder('exchange')
  mkdirSync(join(folder, 'settings'))
  const tickersWithout = (absent: readonly string[]): string[][] => {
    const { legs, exchange } = JSON.parse(
      readFileSync(writeExchangeFile(folder, 'http://127.0.0.1', absent), 'utf8'),
    ) as { legs: object; exchange: { assets: object } }
    return [Object.keys(legs), Object.keys(exchange.assets)]
  }
  const all = tickersWithout([])
  expect(all).toEqual([expect.arrayContaining(['BTC', 'ETH']), expect.arrayContaining(['BTC', 'ETH'])])
  expect(tickersWithout(['BTC'])).toEqual(all.map((tickers) => tickers.filter((ticker) => ticker !== 'BTC')))
})

import { sql } from 'kysely'
import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import type { Book, BookSource } from '../../adapters/rates/port.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import {
  createBooksJob,
  createUsdtMarketsReader,
  createOfficialRatesJob,
  E18,
  marketOf,
  readUsdtMarkets,
} from './index.ts'

const { db } = useDb()
let now = 1_800_000_000_000
beforeEach(() => emptyTables(db))

const runtime = () => ({ db, clock: { now: () => now, business: () => now }, newId, log: pino({ level: 'silent' }) })
const source = (name: string, prices: Record<string, bigint>): BookSource => ({
  name,
  serves: ({ base, quote }) => prices[base] !== undefined || prices[quote] !== undefined,
  book: async (market): Promise<Book> => {
    const price = prices[market.base] ?? prices[market.quote]!
    return {
      ...market,
      observedAt: now,
      bids: [{ price: price - E18 / 1000n, amount: 5n * E18 }],
      asks: [{ price: price + E18 / 1000n, amount: 5n * E18 }],
    }
  },
})
const broken: BookSource = {
  name: 'broken',
  serves: () => true,
  book: () => Promise.reject(new Error('HTML with 200')),
}
const read = (...sources: BookSource[]) =>
  runUntilIdle([createBooksJob({ runtime: runtime(), sources, tickers: ['BTC', 'UAH'], rules: {}, everyMs: 1 })])
const official = (perUsd: bigint) =>
  runUntilIdle([
    createOfficialRatesJob({
      runtime: runtime(),
      everyMs: 1,
      sources: [{ name: 'nbu', rates: async () => [{ ticker: 'UAH', perUsd, observedAt: now }] }],
    }),
  ])
const alerts = async () =>
  (
    await sql<{ subject: string }>`select subject from alerts where resolved_at is null order by subject`.execute(db)
  ).rows.map(({ subject }) => subject)

test('markets open with enough that agree, close with a reason and an alert, and open again', async () => {
  await read(source('a', { BTC: 65_000n * E18, UAH: 41n * E18 }), source('b', { BTC: 65_001n * E18 }), broken)
  let usdtMarkets = await readUsdtMarkets(db, now)
  expect([...usdtMarkets.open.keys()]).toEqual(['BTC'])
  expect(usdtMarkets.closed.get('UAH')).toBe('no official rate to compare with')
  expect(await alerts()).toEqual(['UAH'])

  await official(40n * E18)
  await read(source('a', { BTC: 65_000n * E18, UAH: 41n * E18 }), source('b', { BTC: 650_000n * E18 }))
  usdtMarkets = await readUsdtMarkets(db, now)
  expect([...usdtMarkets.open.keys()]).toEqual(['UAH'])
  expect(await alerts()).toEqual(['BTC'])
  // The next reading is measured against the last accepted one before the doubt.
  await read(source('a', { BTC: 650_000n * E18, UAH: 41n * E18 }), source('b', { BTC: 650_000n * E18 }))
  expect((await readUsdtMarkets(db, now)).closed.get('BTC')).toMatch(/jumped/)
  await read(source('a', { BTC: 65_000n * E18, UAH: 41n * E18 }), source('b', { BTC: 65_000n * E18 }))
  expect([...(await readUsdtMarkets(db, now)).open.keys()]).toEqual(['BTC', 'UAH'])
  expect(await alerts()).toEqual([])
})

test('a market whose books are too old prices nothing', async () => {
  await read(source('a', { BTC: 65_000n * E18 }), source('b', { BTC: 65_001n * E18 }))
  const reader = createUsdtMarketsReader(db, () => now)
  expect((await reader()).open.get('BTC')!.books).toMatchObject([
    { source: 'a', base: 'BTC', quote: 'USDT' },
    { source: 'b' },
  ])
  now += 20_001
  expect((await reader()).closed.get('BTC')).toMatch(/^last read at/)
})

test('markets are named as venues have them', () => {
  expect([marketOf('BTC'), marketOf('UAH')]).toEqual([
    { base: 'BTC', quote: 'USDT' },
    { base: 'USDT', quote: 'UAH' },
  ])
})

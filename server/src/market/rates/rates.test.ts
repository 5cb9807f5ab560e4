import { describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { pino } from 'pino'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { useDb } from '../../../../test/world/database.ts'
import { createRatesJob, freshPrices } from './index.ts'

const { db } = useDb()
const E18 = 10n ** 18n
let now = 1_800_000_000_000

let ids = 0
const runtime = () => ({
  db,
  clock: { now: () => now, business: () => now },
  newId: () => `00000000-0000-7000-8000-${String((ids += 1)).padStart(12, '0')}`,
  log: pino({ level: 'silent' }),
})
const source = (name: string, usd: Record<string, string>, age = 0) => ({
  name,
  quotes: async () => Object.entries(usd).map(([ticker, text]) => ({ ticker, usd: text, observedAt: now - age })),
})
const broken = { name: 'broken', quotes: async () => Promise.reject(new Error('HTML')) }
const refresh = (
  ...sources: {
    name: string
    agreed?: boolean
    quotes(): Promise<{ ticker: string; usd: string; observedAt: number }[]>
  }[]
) => runUntilIdle([createRatesJob({ runtime: runtime(), sources, tickers: ['BTC'], rules: {}, everyMs: 1 })])
const alerts = async () =>
  (
    await sql<{
      kind: string
      text: string
    }>`select kind, text from alerts where resolved_at is null order by kind`.execute(db)
  ).rows
const btc = async () => (await freshPrices(db, ['BTC', 'NONE'], new Date(now))).get('BTC')

describe('prices', () => {
  test('are the median of the sources that gave a believable one and agree', async () => {
    await refresh(
      source('a', { BTC: '60900' }),
      source('b', { BTC: '61000.5' }),
      source('c', { BTC: '1000000' }),
      broken,
    )
    expect(await btc()).toBe((60_900n * E18 + 61_000n * E18 + E18 / 2n) / 2n)
    await refresh(source('a', { BTC: '61000.5' }), source('b', { BTC: '61000.5' }))
    await refresh(source('zero', { BTC: '0' }), source('text', { BTC: 'NaN' }), source('old', { BTC: '5' }, 3_600_000))
    expect(await btc()).toBe(61000n * E18 + E18 / 2n)
  })

  test('audit F-9.1: of two sources that contradict each other neither is used, and an alert shows both', async () => {
    await refresh(source('a', { BTC: '61000' }), source('b', { BTC: '122000' }))
    expect(await btc()).toBe(61000n * E18 + E18 / 2n)
    expect(await alerts()).toMatchObject([
      { kind: 'prices-disagree', text: expect.stringContaining('a: 61000, b: 122000') as string },
    ])
    await refresh(source('a', { BTC: '61000.5' }), source('b', { BTC: '61000.5' }))
    expect(await alerts()).toEqual([])
  })

  test('audit F-9.1: the price on which order books agree is used, regardless of a single other source', async () => {
    await refresh({ ...source('books', { BTC: '61000.5' }), agreed: true }, source('wrong', { BTC: '30000' }))
    expect(await btc()).toBe(61000n * E18 + E18 / 2n)
  })

  test('audit F-9.1: one source is not enough while another one gives nothing; alone it may not jump', async () => {
    await refresh(source('a', { BTC: '61100' }), broken)
    expect([await btc(), (await alerts()).map(({ kind }) => kind)]).toEqual([
      61000n * E18 + E18 / 2n,
      ['prices-disagree'],
    ])
    await refresh(source('a', { BTC: '70000' }))
    expect([await btc(), (await alerts()).map(({ kind }) => kind)]).toEqual([
      61000n * E18 + E18 / 2n,
      ['price-jump', 'prices-disagree'],
    ])
    await refresh(source('a', { BTC: '61000.5' }))
    expect(await alerts()).toEqual([])
  })

  test.each([
    ['too old', '61000', 3_600_000],
    ['zero', '0', 0],
    ['no number', 'NaN', 0],
  ])('audit F-9.1: one source is not enough beside another one whose word is %s', async (_, said, age) => {
    await refresh(source('a', { BTC: '61100' }), source('b', { BTC: said }, age))
    expect([await btc(), (await alerts()).map(({ kind }) => kind)]).toEqual([
      61000n * E18 + E18 / 2n,
      ['prices-disagree'],
    ])
    await refresh(source('a', { BTC: '61000.5' }), source('b', { BTC: '61000.5' }))
  })

  test('that jump are not believed while the last one is fresh', async () => {
    await refresh(source('a', { BTC: '600000' }))
    expect(await btc()).toBe(61000n * E18 + E18 / 2n)
  })

  test('disappear when they are stale, and are then taken afresh', async () => {
    now += 11 * 60_000
    expect(await btc()).toBeUndefined()
    await refresh(source('a', { BTC: '600000' }))
    expect(await btc()).toBe(600000n * E18)
  })
})

/**
 * The worker is killed, -9, at every point between storing a hedge and recording its result; afterwards
 * there is one order on the venue for each client id, its fills are posted once, and the exposure is gone. The points
 * are read from the source. The same holds for everything that a venue can do wrong.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Sandbox } from '../system/sandbox.ts'
import { buyBtc, eventually, hedged, hedgeOrders, openAlerts, placedOnce } from '../world/hedging.ts'

const folder = new URL('../../server/src/exchange/hedging/', import.meta.url)
const points = [
  ...new Set(
    readdirSync(folder)
      .filter((file) => /^jobs.*\.ts$/.test(file))
      .flatMap((file) =>
        [...readFileSync(new URL(file, folder), 'utf8').matchAll(/\.pause\('([a-z-]+)'\)/g)].map((match) => match[1]!),
      ),
  ),
]
/** The order that brings the worker to a point: its state has to be queried. */
const FAULTS: Record<string, object> = { 'hedge-asked': { answer: 'cut' } }

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({
    BURSAR_HEDGING: 'on',
    BURSAR_BLOCK_SECONDS_BITCOIN: '0.5',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
    BURSAR_BLOCK_SECONDS_BSC: '0.5',
  })
  await sandbox.credit(sandbox.merchants[0], 'USDT', '50000')
  await buyBtc(sandbox, '0.01')
  await hedged(sandbox, 'BTC', 8, 0.0004)
})
afterAll(() => sandbox?.stop())

test('there are points to be killed at', () => {
  expect(points.toSorted()).toEqual(['hedge-answered', 'hedge-asked', 'hedge-begun', 'hedge-recorded'])
})

describe('killed', () => {
  test.each(points)('%s: one order, booked once', async (point) => {
    const before = { orders: (await sandbox.venueFind()).orders.length, written: (await hedgeOrders(sandbox)).length }
    await sandbox.kill('worker')
    await sandbox.venue('next', FAULTS[point] ?? {})
    await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: point })
    await buyBtc(sandbox, '0.02')
    await sandbox.paused('worker', point)
    await sandbox.kill('worker')
    await sandbox.start('worker')
    // Rows that the killed worker had claimed are free again when its lease is over.
    await sandbox.advance(60_000)
    await hedged(sandbox, 'BTC', 8, 0.0004)
    await placedOnce(sandbox)
    // Killed before it called the venue: that order lapses, and another one takes its place.
    expect((await hedgeOrders(sandbox)).length - before.written).toBe(point === 'hedge-begun' ? 2 : 1)
    expect((await sandbox.venueFind()).orders.length - before.orders).toBe(1)
  })

  test('books and venue agree after all of them', async () => {
    // A worker compares them when it starts, and then every quarter of a minute.
    const before = new Date()
    await sandbox.kill('worker')
    await sandbox.start('worker')
    await eventually(sandbox, 'a comparison', async () => {
      const later = await sandbox.query('select from venue_balances where compared_at > $1', [before])
      return later.length > 0 ? true : undefined
    })
    const { text } = await sandbox.bursar('reconcile')
    expect(text).toMatch(/binance BTC at .*: equal/)
    expect(text).toMatch(/binance USDT at .*: equal/)
  })
})

describe('a venue that does wrong', () => {
  test.each([
    ['fills a part', { fill: 30 }, 2],
    ['takes it and cuts the connection', { answer: 'cut' }, 1],
    ['takes it and never answers', { answer: 'held' }, 1],
    ['takes it and answers 500', { answer: 'error' }, 1],
    ['takes it and answers a web page', { answer: 'garbage' }, 1],
    ['takes it, cuts the connection, and fills a part', { answer: 'cut', fill: 50 }, 2],
    ['is overloaded and does not take it', { answer: 'unavailable' }, 1],
    ['gets it too late', { lateMs: 8_000 }, 1],
    ['gets it late, in time', { lateMs: 2_000 }, 1],
    ['lets it rest', { delayMs: 4_000 }, 1],
    ['rejects it', { reject: 'filter' }, 1],
  ])('%s: one order a client id, and the exposure is gone', async (_name, fault, orders) => {
    const before = (await sandbox.venueFind()).orders.length
    await sandbox.venue('next', fault)
    await buyBtc(sandbox, '0.02')
    await hedged(sandbox, 'BTC', 8, 0.0004)
    await placedOnce(sandbox)
    expect((await sandbox.venueFind()).orders.length - before).toBe(orders)
  })

  test('is down: nothing is lost, an alert is raised, and it catches up', async () => {
    await sandbox.venue('fault', { kind: 'down' })
    await buyBtc(sandbox, '0.02')
    await eventually(sandbox, 'the alert', async () =>
      (await openAlerts(sandbox)).includes('venue-unreachable') ? true : undefined,
    )
    await sandbox.venue('fault', {})
    await hedged(sandbox, 'BTC', 8, 0.0004)
    await placedOnce(sandbox)
  })
})

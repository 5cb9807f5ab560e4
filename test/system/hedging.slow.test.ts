/**
 * Hedging in the whole sandbox: exchanges through the signed API, orders through ccxt on an emulator of Binance that
 * does wrong on demand.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSandbox, type Sandbox } from './sandbox.ts'
import { buyBtc, eventually, exposureOf, hedged, hedgeOrders, openAlerts, placedOnce } from '../world/hedging.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({
    BURSAR_HEDGING: 'on',
    BURSAR_BLOCK_SECONDS_BITCOIN: '0.5',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
    BURSAR_BLOCK_SECONDS_BSC: '0.5',
  })
  await sandbox.credit(sandbox.merchants[0], 'USDT', '90000')
})
afterAll(() => sandbox?.stop())

const BTC = ['BTC', 8, 0.0004] as const
const amountOf = (order: Record<string, string>): number => Number(order['executedQty'])

test('an exchange leads to an order on the venue, and the position is back where it was', async () => {
  await buyBtc(sandbox, '0.1')
  await hedged(sandbox, ...BTC)
  const { orders, trades } = await sandbox.venueFind()
  expect(
    orders.filter(({ symbol }) => symbol === 'BTCUSDT').reduce((sum, order) => sum + amountOf(order), 0),
  ).toBeCloseTo(0.1, 5)
  expect(orders[0]).toMatchObject({ side: 'BUY', timeInForce: 'IOC', status: 'FILLED' })
  expect(trades.length).toBeGreaterThan(0)
  await placedOnce(sandbox)
})

test('at the limit of the position the direction closes, and hedging opens it again', async () => {
  expect(await sandbox.bursar('hedging', 'stop', 'a drill')).toMatchObject({ code: 0 })
  expect(await sandbox.bursar('position', 'limit', 'BTC', '0.05', '0.05')).toMatchObject({ code: 0 })
  await buyBtc(sandbox, '0.045')
  const more = sandbox.merchants[0].client.exchange.estimate({
    spendTicker: 'USDT',
    targetTicker: 'BTC',
    amount: '0.01',
    side: 'target',
  })
  await expect(more).rejects.toMatchObject({
    code: 2,
    message: expect.stringContaining('no more BTC is sold now') as string,
  })
  await eventually(sandbox, 'the alert', async () =>
    (await openAlerts(sandbox)).includes('position-limit-near') ? true : undefined,
  )
  expect((await hedgeOrders(sandbox)).filter(({ state }) => state === 'sending')).toEqual([])
  expect(await exposureOf(sandbox, 'BTC', 8)).toBeCloseTo(-0.045, 4)
  expect(await sandbox.bursar('hedging', 'start')).toMatchObject({ code: 0, text: '1 stop(s) lifted\n' })
  await buyBtc(sandbox, '0.01')
  await sandbox.bursar('position', 'limit', 'BTC', 'none', 'none')
  await hedged(sandbox, ...BTC)
})

test('an order that was taken without an answer is not placed again', async () => {
  await sandbox.venue('next', { answer: 'cut', fill: 50 })
  await buyBtc(sandbox, '0.02')
  await hedged(sandbox, ...BTC)
  await placedOnce(sandbox)
})

test('books and venue agree, figures are shown, and a deposit at the venue without a booking raises an alert', async () => {
  const { text } = await eventually(sandbox, 'a comparison', async () => {
    const notified = await sandbox.bursar('reconcile', '--network', 'TRON')
    return notified.code === 0 ? notified : undefined
  })
  expect(text).toContain('the ledger is consistent')
  const whole = await eventually(sandbox, 'all agree', async () => {
    const notified = await sandbox.bursar('reconcile')
    return notified.text.includes('binance BTC') ? notified : undefined
  })
  expect(whole.text).toMatch(/binance BTC at .*: equal/)
  expect(whole.text).toMatch(/binance USDT at .*: equal/)
  const position = await sandbox.bursar('position')
  expect(position.code).toBe(0)
  expect(position.text).toMatch(/profit without the fees of merchants: \d+\.\d+ USDT/)
  const metrics = await sandbox.metrics()
  for (const line of [
    /^bursar_position_exposure\{asset="BTC"\} /m,
    /^bursar_exchange_spread_income_usdt\{asset="BTC"\} [1-9]/m,
    /^bursar_hedge_slippage_usdt\{asset="BTC"\} /m,
    /^bursar_hedge_oldest_unknown_seconds 0$/m,
    /^bursar_venue_drift\{venue="binance",asset="BTC"\} 0$/m,
  ])
    expect(metrics).toMatch(line)
  await sandbox.venue('balance', { asset: 'ETH', amount: '1' })
  await eventually(sandbox, 'the alert', async () =>
    (await openAlerts(sandbox)).includes('venue-drift') ? true : undefined,
  )
  expect((await sandbox.bursar('reconcile')).text).toMatch(/binance ETH at .*: DIFFERENCE -\d+/)
})

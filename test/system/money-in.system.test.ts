/** Deposits on real nodes, seen as a merchant sees them: notifications, lookups, balances. */
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyWebhook } from '@bursar/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Network, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({
    BURSAR_BLOCK_SECONDS_BITCOIN: '0.5',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
    BURSAR_BLOCK_SECONDS_BSC: '0.5',
  })
})
afterAll(() => sandbox?.stop())

const merchant = () => sandbox.merchants[0]
const balance = async (ticker: string, whose = merchant()): Promise<string> =>
  (await whose.client.balances.list([ticker]))[0]!.value
const address = async (blockchain: Network, meta?: string): Promise<string> =>
  (await merchant().client.addresses.create({ blockchain, ...(meta === undefined ? {} : { meta }) })).address
const bodies = async (match: (body: Record<string, unknown>) => boolean): Promise<Record<string, unknown>[]> =>
  (await sandbox.messages(merchant())).map((m) => JSON.parse(m.body) as Record<string, unknown>).filter(match)
const sum = (a: string, b: string): string => {
  const [x, y] = [a, b].map((t) => BigInt(Math.round(Number(t) * 1e8)))
  return String(Number(x! + y!) / 1e8)
}

describe('a deposit becomes Pending, Done and a balance', () => {
  test.each([
    ['BITCOIN', 'BTC', '0.25'],
    ['ETHEREUM', 'ETH', '1.5'],
    ['ETHEREUM', 'USDT', '25.5'],
    ['BINANCE_SMART_CHAIN', 'BNB', '2'],
    ['BINANCE_SMART_CHAIN', 'USDT', '31.25'],
    ['TRON', 'TRX', '120.5'],
    ['TRON', 'USDT', '18.75'],
  ] as const)('%s %s', async (blockchain, ticker, amount) => {
    const before = await balance(ticker)
    const to = await address(blockchain, `order ${ticker} ✓`)
    const hash = await sandbox.pay(blockchain, ticker, to, amount)
    const pending = await sandbox.notified(merchant(), { hash, status: 'Pending' })
    expect(pending).toMatchObject({
      kind: 'Replenish',
      ticker,
      blockchain,
      to,
      amount,
      meta: `order ${ticker} ✓`,
      internal: false,
      merchantId: merchant().id,
    })
    expect(pending).not.toHaveProperty('block')
    const done = await sandbox.notified(merchant(), { hash, status: 'Done' })
    expect(done).toMatchObject({ id: pending['id'], amount, time: pending['time'] })
    expect(done['block']).toBeTypeOf('number')
    expect(await balance(ticker)).toBe(sum(before, amount))
    expect(await merchant().client.deposits.get(done['id'] as string)).toEqual(done)
    expect(await bodies((b) => b['hash'] === hash)).toHaveLength(2)
  })
})

test('every notification is signed for its receiver, and the list of events holds the same bytes', async () => {
  const [message] = await sandbox.messages(merchant())
  const { host, pathname } = new URL(merchant().notificationsUrl)
  const stamped = Number(message!.headers['timestamp']) * 1000
  const verified = verifyWebhook({
    headers: message!.headers,
    rawBody: message!.body,
    host,
    path: pathname,
    privateKeys: merchant().privateKey,
    now: () => stamped,
  })
  expect(verified).toEqual(JSON.parse(message!.body))
  const { events } = await merchant().client.events.list({ after: 0 })
  expect(events.map((e) => e.sequence)).toEqual(events.map((_, i) => i + 1))
  expect(events[0]!.body).toEqual(JSON.parse(message!.body))
})

test('B13 below the minimum: Failed, with a reason, and no balance', async () => {
  const before = await balance('USDT')
  const to = await address('ETHEREUM')
  const hash = await sandbox.pay('ETHEREUM', 'USDT', to, '0.5')
  expect(await sandbox.notified(merchant(), { hash, status: 'Failed' })).toMatchObject({
    failReason: 'LESS_THEN_MIN_AMOUNT',
  })
  expect(await balance('USDT')).toBe(before)
})

test('one address on both EVM chains: each deposit is credited as its own asset', async () => {
  const to = await address('ETHEREUM')
  const hash = await sandbox.pay('BINANCE_SMART_CHAIN', 'USDC', to, '7')
  expect(await sandbox.notified(merchant(), { hash, status: 'Done' })).toMatchObject({
    blockchain: 'BINANCE_SMART_CHAIN',
    ticker: 'USDC',
  })
})

test('on TRON, a branch without a payment that was not solid: never credited, while another one is', async () => {
  const to = await address('TRON')
  const hash = await sandbox.pay('TRON', 'USDT', to, '9')
  await sandbox.mine('TRON', 1)
  await sandbox.notified(merchant(), { hash, status: 'Pending' })
  const before = await balance('USDT')
  await sandbox.reorg('TRON', 8, [hash])
  const other = await sandbox.pay('TRON', 'USDT', to, '8')
  await sandbox.notified(merchant(), { hash: other, status: 'Done' })
  expect(await balance('USDT')).toBe(sum(before, '8'))
  expect((await bodies((b) => b['hash'] === hash)).map((b) => b['status'])).toEqual(['Pending'])
})

test('B14 a rotating address: in its time, and late', async () => {
  const { address: to, expiredAt } = await merchant().client.rotatingAddresses.create({
    blockchain: 'ETHEREUM',
    duration: 600_000,
  })
  expect(expiredAt).toBeGreaterThan(Date.now())
  const first = await sandbox.pay('ETHEREUM', 'USDC', to, '5')
  await sandbox.notified(merchant(), { hash: first, status: 'Done' })
  await sandbox.advance(3 * 60 * 60_000)
  await sleep(500)
  const late = await sandbox.pay('ETHEREUM', 'USDC', to, '6')
  expect(await sandbox.notified(merchant(), { hash: late, status: 'Done' })).toMatchObject({ amount: '6' })
})

test('a watcher that was killed catches up, and nothing is missed or doubled', async () => {
  const to = await address('ETHEREUM')
  await sandbox.kill('watcher')
  const hashes = [await sandbox.pay('ETHEREUM', 'ETH', to, '1'), await sandbox.pay('ETHEREUM', 'USDT', to, '11')]
  await sandbox.mine('ETHEREUM', 20)
  await sandbox.start('watcher')
  for (const hash of hashes) await sandbox.notified(merchant(), { hash, status: 'Done' })
  for (const hash of hashes) expect(await bodies((b) => b['hash'] === hash)).toHaveLength(2)
})

test('a merchant whose endpoint fails gets everything later, in order', async () => {
  const shop = sandbox.merchants[1]
  await sandbox.behave(shop, { status: 500 })
  const { address: to } = await shop.client.addresses.create({ blockchain: 'ETHEREUM' })
  const hash = await sandbox.pay('ETHEREUM', 'USDT', to, '3')
  await sandbox.notified(shop, { hash, status: 'Pending' })
  await sleep(3_000)
  expect((await sandbox.messages(shop)).map((m) => JSON.parse(m.body).status)).not.toContain('Done')
  await sandbox.behave(shop, { status: 200 })
  await sandbox.advance(11 * 60_000)
  await sandbox.notified(shop, { hash, status: 'Done' })
  const notified = (await sandbox.messages(shop))
    .map((m) => JSON.parse(m.body) as { hash: string; status: string })
    .filter((b) => b.hash === hash)
  expect(notified.at(-1)!.status).toBe('Done')
})

test.each([
  ['ETHEREUM', 'USDT', '400'],
  ['BINANCE_SMART_CHAIN', 'USDC', '400'],
  ['ETHEREUM', 'ETH', '1.25'],
  ['TRON', 'USDT', '400'],
  ['TRON', 'TRX', '60'],
] as const)(
  'on %s, %s that is final leaves its deposit address by itself, for the hot wallet',
  async (blockchain, ticker, amount) => {
    const to = await address(blockchain)
    const hash = await sandbox.pay(blockchain, ticker, to, amount)
    await sandbox.notified(merchant(), { hash, status: 'Done' })
    const left = async () => {
      await sandbox.mine(blockchain, 1)
      return Number(await sandbox.balanceOf(blockchain, ticker, to))
    }
    await expect.poll(left, { timeout: 180_000, interval: 500 }).toBeLessThanOrEqual(0.01)
  },
)

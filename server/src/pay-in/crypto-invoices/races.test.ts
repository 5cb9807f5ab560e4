import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listen } from '../../platform/db/index.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { INVOICE_CHANNEL } from './index.ts'
import { HOUR, useCryptoInvoices } from '../../../../test/world/crypto-invoices.ts'

const world = useCryptoInvoices()
const USDT = { value: '100', ticker: 'USDT', blockchain: 'BINANCE_SMART_CHAIN' }
const times = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

test('continuing many times at once allocates one address and notifies PENDING once', async () => {
  const id = await world.create({ amount: { ticker: 'USDT' } })
  const choices = times(8).map((i) => ({
    blockchain: i % 2 === 0 ? 'ETHEREUM' : 'BINANCE_SMART_CHAIN',
    value: `${10 + i}`,
  }))
  await Promise.all(choices.map((choice) => world.proceed(id, choice)))
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from addresses`.execute(world.db)
  expect(rows[0]!.count).toBe(1)
  const [pending, ...more] = await world.notices()
  expect(more).toEqual([])
  expect(await world.lookup(id)).toMatchObject({ amount: { value: pending!.amount, blockchain: pending!.blockchain } })
})

test('addresses of many invoices are all different, with or without a stock', async () => {
  const ids = await Promise.all(times(12).map(() => world.create({ amount: USDT })))
  await Promise.all(ids.map((id) => world.proceed(id)))
  const addresses = await Promise.all(ids.map(async (id) => (await world.lookup(id)).address))
  expect(new Set(addresses).size).toBe(ids.length)
})

test('expiry by several workers at once notifies each invoice once', async () => {
  const ids = await Promise.all(times(120).map(() => world.create({})))
  world.now += 73 * HOUR
  await Promise.all(times(4).map(() => world.tick()))
  const notices = await world.notices()
  expect(notices.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  expect(new Set(notices.map(({ status }) => status))).toEqual(new Set(['EXPIRED']))
})

test('a credit, a close and the end of time at once: one end each at most, and DONE is the last word', async () => {
  for (const round of times(8)) {
    await world.reset()
    const id = await world.create({ amount: USDT })
    await world.proceed(id)
    await world.confirm(await world.payment(id, '60'))
    const rest = await world.payment(id, round % 2 === 0 ? '40' : '10')
    world.now += 73 * HOUR
    await world.mine(rest.network, [rest.transaction])
    await Promise.all([world.settle(rest.network), world.close(id), world.tick(), world.tick()])
    const statuses = (await world.notices()).filter((body) => body.id === id).map(({ status }) => status)
    expect(statuses.filter((status) => status === 'DONE')).toHaveLength(1)
    expect(statuses.filter((status) => status === 'EXPIRED').length).toBeLessThanOrEqual(1)
    expect(statuses.at(-1)).toBe('DONE')
    expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidAmount: round % 2 === 0 ? '100' : '70' })
    expect(await auditLedger(world.db)).toEqual([])
  }
})

test('two watchers at the same invoices: the payments of each are counted once, and no payment is lost', async () => {
  const ids = await Promise.all(times(6).map(() => world.create({ amount: USDT })))
  for (const id of ids) await world.proceed(id)
  const right = await Promise.all(ids.map((id) => world.payment(id, '100')))
  const wrong = await Promise.all(ids.map((id) => world.payment(id, '5', { network: 'ETHEREUM' })))
  await Promise.all([
    world.mine(
      'BINANCE_SMART_CHAIN',
      right.map(({ transaction }) => transaction),
    ),
    world.mine('ETHEREUM', wrong.map(({ transaction }) => transaction).toReversed()),
  ])
  await Promise.all([world.settle('BINANCE_SMART_CHAIN'), world.settle('ETHEREUM')])
  for (const id of ids) expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidAmount: '100' })
  expect((await world.notified()).filter((one) => one === 'Replenish Done')).toHaveLength(6)
  expect(await auditLedger(world.db)).toEqual([])
})

test('every change is announced with its commit, creation is not', async () => {
  const heard: string[] = []
  let connected = (): void => {}
  const ready = new Promise<void>((resolve) => {
    connected = resolve
  })
  const listener = listen({ url: world.url }, [INVOICE_CHANNEL], { connected, notified: (_, id) => heard.push(id) })
  try {
    await ready
    const id = await world.create({ amount: USDT })
    const expectHeard = async (count: number): Promise<void> => {
      await expect.poll(() => heard.length).toBeGreaterThanOrEqual(count)
      expect(new Set(heard)).toEqual(new Set([id]))
      heard.length = 0
    }
    await world.proceed(id)
    await expectHeard(1)
    const wrong = await world.payment(id, '5', { network: 'ETHEREUM' })
    await world.mine(wrong.network, [wrong.transaction])
    await expectHeard(1)
    const paid = await world.payment(id, '60')
    await world.mine(paid.network, [paid.transaction])
    await expectHeard(1)
    await world.settle(paid.network)
    await expectHeard(1)
    await world.close(id)
    await expectHeard(1)
  } finally {
    await listener.close()
  }
})

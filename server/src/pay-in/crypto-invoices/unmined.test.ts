/**
 * Payments that no block has. Every unconfirmed transaction may be replaced by its sender since Bitcoin Core 28 (full
 * RBF by default, release notes of 28.0).
 */
import { expect, test } from 'vitest'
import { blockOf, E18, START } from '../../../../test/world/deposits.ts'
import { HOUR, useCryptoInvoices } from '../../../../test/world/crypto-invoices.ts'

const world = useCryptoInvoices()
const BTC = { ticker: 'BTC', blockchain: 'BITCOIN' }
const create = async (more: Record<string, unknown> = {}): Promise<string> => {
  const id = await world.create({ amount: BTC, baseAmount: { value: '100', ticker: 'USD' }, ...more })
  await world.proceed(id)
  return id
}
/** In the pool while the quote holds. */
const seen = async (id: string, amount = '0.002') => {
  const payment = await world.payment(id, amount)
  await world.poolHas('BITCOIN', [payment.transaction])
  return payment
}
const quoteEnd = (): number => START + world.settings.quoteMs

test('audit D-B6, row B-7: a quoted price holds for a payment mined within 24 hours of the end of the quote', async () => {
  const [first, second] = [await create(), await create()]
  const inTime = await seen(first)
  const late = await world.payment(second, '0.002')
  await world.poolHas('BITCOIN', [inTime.transaction, late.transaction])
  world.prices.set('BTC', 25_000n * E18)
  world.now = quoteEnd() + 24 * HOUR
  await world.confirm(inTime)
  world.now += 1
  await world.confirm(late)
  expect(await world.lookup(first)).toMatchObject({ status: 'PAID', paidPrice: '100' })
  expect(await world.lookup(second)).toMatchObject({ status: 'PENDING', paidAmount: '0.002', paidPrice: '50' })
  await world.tick()
  expect(await world.find(second)).toMatchObject({ missing: { text: '0.002' }, price: { rate: '25000' } })
})

test('audit D-B6: a payment mined too late counts at a better price as well', async () => {
  const id = await create()
  const part = await seen(id, '0.001')
  world.prices.set('BTC', 100_000n * E18)
  world.now = quoteEnd() + 25 * HOUR
  await world.confirm(part)
  expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidPrice: '100' })
})

test('audit D-B6: a payment that is mined too late while no price is known is valued when one is known', async () => {
  const id = await create()
  const payment = await seen(id)
  world.now = quoteEnd() + 25 * HOUR
  world.prices.delete('BTC')
  await world.confirm(payment)
  expect(await world.lookup(id)).toMatchObject({ status: 'PENDING', paidAmount: '0.002', paidPrice: '0' })
  world.prices.set('BTC', 40_000n * E18)
  await world.tick()
  expect(await world.lookup(id)).toMatchObject({ paidPrice: '80' })
})

test('audit D-B6: EXPIRED waits 24 hours for a payment that no block has, and no longer', async () => {
  const id = await create({ duration: 2 * HOUR })
  const payment = await seen(id)
  world.now = START + 26 * HOUR
  await world.tick()
  expect(await world.lookup(id)).toMatchObject({ status: 'PENDING' })
  world.now += 1
  await world.tick()
  expect(await world.lookup(id)).toMatchObject({ status: 'EXPIRED', paidAmount: '0' })
  // Mined after all: the money is notified by itself, and completes the invoice at the price of then.
  world.prices.set('BTC', 60_000n * E18)
  await world.confirm(payment)
  expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidPrice: '120' })
  expect(await world.notified()).toEqual([
    'CryptoInvoice PENDING',
    'CryptoInvoice EXPIRED',
    'Replenish Done',
    'CryptoInvoice DONE',
  ])
})

test('audit D-B6: EXPIRED waits for mined payments, however long their confirmations and their screening take', async () => {
  const [mined, held] = [await create({ duration: 2 * HOUR }), await create({ duration: 2 * HOUR })]
  await world.mine('BITCOIN', [(await seen(mined)).transaction])
  world.holding = true
  await world.confirm(await seen(held))
  world.now = START + 72 * HOUR
  await world.tick()
  expect([(await world.lookup(mined)).status, (await world.lookup(held)).status]).toEqual(['PENDING', 'PENDING'])
})

test('audit D-B6, rows B-25 and B-27: a payment first seen in a block is mined, no later than it was seen', async () => {
  const id = await create({ duration: 2 * HOUR })
  const { transaction } = await world.payment(id, '0.002')
  // A block may be two hours ahead of the clock (MAX_FUTURE_BLOCK_TIME in src/chain.h of Bitcoin Core).
  await world.act((tx, now) =>
    world.deposits.block(tx, 'BITCOIN', blockOf(100, [transaction], 'b', world.now + 2 * HOUR), now),
  )
  world.now = START + 72 * HOUR
  await world.tick()
  expect(await world.lookup(id)).toMatchObject({ status: 'PENDING' })
  await world.act((tx, now) => world.deposits.settled(tx, 'BITCOIN', { headHeight: 150, finalHeight: 145 }, now))
  expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidPrice: '100' })
})

test('audit D-B6: a payment whose block was lost is waited for like one that no block had', async () => {
  const id = await create({ duration: 2 * HOUR })
  const { transaction } = await seen(id)
  const height = await world.mine('BITCOIN', [transaction])
  await world.orphan('BITCOIN', height)
  await world.poolHas('BITCOIN', [transaction])
  world.now = START + 26 * HOUR + 1
  await world.tick()
  expect(await world.lookup(id)).toMatchObject({ status: 'EXPIRED' })
})

test('audit D-B6: a price in crypto does not change, and its invoice ends as any other', async () => {
  const id = await world.create({ amount: { ...BTC, value: '0.002' }, duration: 2 * HOUR })
  await world.proceed(id)
  const payment = await seen(id)
  world.now = START + 27 * HOUR
  await world.tick()
  expect(await world.lookup(id)).toMatchObject({ status: 'EXPIRED' })
  await world.confirm(payment)
  expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidAmount: '0.002' })
})

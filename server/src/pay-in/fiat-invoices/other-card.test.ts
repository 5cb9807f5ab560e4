/**
 * Another card on Freedom Pay's page after a refused one (row A-18 of docs/dialects.md): the emulator, the adapter and
 * the program together.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Emulator } from '../../../../sandbox/acquirers/emulator/start.ts'
import { findOrder, giveBackOutside, payByCard } from '../../../../sandbox/acquirers/emulator/payments.ts'
import { startFreedomPay } from '../../../../sandbox/acquirers/freedompay/index.ts'
import { useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'
import { createFreedomPay } from '../../adapters/acquirers/freedompay/index.ts'
import { createAcquirerHttp } from '../../adapters/acquirers/http.ts'
import { checkInvariants } from '../../treasury/invariants/index.ts'

const REFUSED_CARD = '4000000000009995'
const GOOD_CARD = '4111111111111111'
const DAY_MS = 86_400_000
const account = { merchantId: '500042', secretKey: 'key-in', payoutSecretKey: 'key-out' }

const world = useFiatInvoices()
let emulator: Emulator
beforeAll(async () => {
  emulator = await startFreedomPay(account, { port: 0 })
})
afterAll(() => emulator.stop())
beforeEach(() => {
  const { createPayment, paymentState, readCallback } = createFreedomPay({
    ...account,
    name: 'first',
    url: emulator.url,
    testing: true,
    spacingMs: 0,
    capabilities: world.first.capabilities,
    http: createAcquirerHttp({ account: 'first' }),
    now: () => world.now,
  })
  Object.assign(world.first, { createPayment, paymentState, readCallback })
})

/** A payer at the page. Its callbacks are not delivered; the test posts them. */
const payer = async () => {
  const { id, reference } = await world.atTheBank({ amount: { value: '20000', ticker: 'KZT' } })
  const { context } = emulator
  const order = () => findOrder(context, reference, 'payment')!
  return {
    id,
    types: (card: string) => {
      context.faults.next({ drop: true })
      payByCard(context, order(), card)
    },
    giveBack: (units: bigint) => giveBackOutside(context, order(), units),
    calls: async () => {
      const { headers, body } = context.dialect.message(order())
      expect((await world.callback(world.first, { headers, body: Buffer.from(body) })).status).toBe(200)
    },
  }
}

test('a part that went back in the console before the first query hides no payment', async () => {
  const { id, types, giveBack, calls } = await payer()
  types(REFUSED_CARD)
  types(GOOD_CARD)
  giveBack(5_000_00n)
  await calls()
  await world.work()
  expect((await world.lookup(id)).status).toBe('DONE')
  // The fee is 1.5 percent of 20,000.
  expect(await world.balance('merchant', 'KZT')).toBe(14_700_00n)
  expect(await checkInvariants(world.db)).toEqual([])
})

test('nor does one after a query that found the first card refused', async () => {
  const { id, types, giveBack, calls } = await payer()
  types(REFUSED_CARD)
  await calls()
  await world.work()
  types(GOOD_CARD)
  giveBack(5_000_00n)
  await calls()
  await world.work()
  expect((await world.lookup(id)).status).toBe('DONE')
  expect(await world.balance('merchant', 'KZT')).toBe(14_700_00n)
})

test('nor does an answer that came before the callback, and is stored after it', async () => {
  const { id, types, giveBack, calls } = await payer()
  types(REFUSED_CARD)
  const { paymentState } = world.first
  world.first.paymentState = async (...asked) => {
    const answer = await paymentState(...asked)
    world.first.paymentState = paymentState
    types(GOOD_CARD)
    giveBack(5_000_00n)
    await calls()
    return answer
  }
  await world.later(60_000)
  expect((await world.lookup(id)).status).toBe('DONE')
  expect(await world.balance('merchant', 'KZT')).toBe(14_700_00n)
})

test('nor does a callback that never comes: an operator has to look in the console after the page has ended', async () => {
  const { id, types, giveBack, calls } = await payer()
  types(REFUSED_CARD)
  types(GOOD_CARD)
  giveBack(5_000_00n)
  await world.later(60_000)
  expect(await world.alerts()).not.toContain('payment-unconfirmed')
  for (let days = 0; days < 5; days += 1) await world.later(DAY_MS)
  expect(await world.alerts()).toContain('payment-unconfirmed')
  await calls()
  await world.work()
  expect((await world.lookup(id)).status).toBe('FAILED')
  // Its invoice has ended.
  expect(await world.alerts()).toContain('payment-suspended')
  expect(await world.alerts()).not.toContain('payment-unconfirmed')
})

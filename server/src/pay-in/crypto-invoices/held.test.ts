/** Invoices of a merchant whose money is credited once it is screened. */
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { auditLedger } from '../../ledger/postings/index.ts'
import { HOUR, useCryptoInvoices } from '../../../../test/world/crypto-invoices.ts'

const USDT = { value: '100', ticker: 'USDT', blockchain: 'BINANCE_SMART_CHAIN' }
const E18 = 10n ** 18n
const world = useCryptoInvoices()
beforeEach(() => {
  world.holding = true
})
afterEach(async () => expect(await auditLedger(world.db)).toEqual([]))

const held = async () =>
  (
    await sql<{
      merchantId: string
      id: string
    }>`select merchant_id as "merchantId", id from deposits where state = 'held' order by created_at, id limit 1`.execute(
      world.db,
    )
  ).rows[0]!
const clear = async () => {
  const key = await held()
  await world.act(
    async (tx, moment) => (await world.deposits.clear(tx, { ...key, compliance: { risky: false } as never }, moment))!,
  )
}
const reject = async () => {
  const key = await held()
  await world.act(async (tx, moment) => (await world.deposits.reject(tx, key, moment))!)
}
const registered = async () => {
  const id = await world.create({ amount: USDT })
  await world.proceed(id)
  return id
}

test('are paid when the money is theirs and not before, however long after their end that is', async () => {
  const id = await registered()
  await world.confirm(await world.payment(id, '100'))
  expect([await world.balance('USDT'), await world.notified()]).toEqual([0n, ['CryptoInvoice PENDING']])
  expect(await world.find(id)).toMatchObject({
    state: 'pending',
    paid: { text: '0' },
    waiting: { text: '100' },
    toSend: null,
    payments: [{ state: 'checking', counts: true }],
  })
  world.now += 500 * HOUR
  await world.tick()
  expect(await world.lookup(id)).toMatchObject({ status: 'PENDING', paidAmount: '0' })
  expect(await world.close(id)).toMatchObject({ description: expect.stringContaining('nothing is credited') })
  await clear()
  await world.tick()
  expect([await world.balance('USDT'), await world.notified()]).toEqual([
    100n * E18,
    ['CryptoInvoice PENDING', 'CryptoInvoice DONE'],
  ])
  expect(await world.find(id)).toMatchObject({
    state: 'paid',
    paid: { text: '100' },
    payments: [{ state: 'credited' }],
  })
})

test('whose money is rejected expire as if it had not come; the payer reads that it was not taken', async () => {
  const id = await registered()
  await world.confirm(await world.payment(id, '100'))
  world.now += 500 * HOUR
  await reject()
  expect((await world.find(id)).payments).toMatchObject([{ state: 'refused' }])
  await world.tick()
  expect([await world.balance('USDT'), await world.notified()]).toEqual([
    0n,
    ['CryptoInvoice PENDING', 'CryptoInvoice EXPIRED'],
  ])
  expect(await world.find(id)).toMatchObject({ state: 'expired', paid: { text: '0' }, claimable: false })
})

test('that expired count a late payment once it is released: the deposit is Done and Verified, the invoice paid', async () => {
  const id = await registered()
  world.now += 500 * HOUR
  await world.tick()
  await world.confirm(await world.payment(id, '100'))
  expect(await world.notified()).toEqual(['CryptoInvoice PENDING', 'CryptoInvoice EXPIRED', 'Replenish Pending'])
  await clear()
  expect(await world.notified()).toEqual([
    'CryptoInvoice PENDING',
    'CryptoInvoice EXPIRED',
    'Replenish Pending',
    'Replenish Done',
    'Replenish Verified',
    'CryptoInvoice DONE',
  ])
  expect(await world.lookup(id)).toMatchObject({ status: 'PAID', paidAmount: '100' })
})

test('that expired notify a late payment that is rejected like any deposit', async () => {
  const id = await registered()
  world.now += 500 * HOUR
  await world.tick()
  await world.confirm(await world.payment(id, '100'))
  await reject()
  expect(await world.notified()).toEqual([
    'CryptoInvoice PENDING',
    'CryptoInvoice EXPIRED',
    'Replenish Pending',
    'Replenish Failed',
  ])
  expect((await world.notices()).at(-1)).toMatchObject({ failReason: 'AML_REJECTED' })
})

test('of which a part is clean are partly paid, and the rest is asked for only where it is lost', async () => {
  const id = await registered()
  await world.confirm(await world.payment(id, '60'))
  await clear()
  await world.confirm(await world.payment(id, '40'))
  expect(await world.find(id)).toMatchObject({
    state: 'pending',
    paid: { text: '60' },
    waiting: { text: '40' },
    toSend: null,
  })
  await reject()
  expect(await world.find(id)).toMatchObject({
    state: 'pending',
    paid: { text: '60' },
    waiting: { text: '0' },
    toSend: { text: '40' },
  })
})

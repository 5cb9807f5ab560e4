import { describe, expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { requestRefund, resolveRefund } from '../../cards/acquiring/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { HOUR_MS, useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'

const world = useFiatInvoices()

/** Every name a job of these modules can be killed at, from the sources. */
const POINTS = ['../../cards/acquiring/jobs-payments.ts', '../../cards/acquiring/jobs-refunds.ts', './jobs.ts'].flatMap(
  (file) =>
    [...readFileSync(new URL(file, import.meta.url), 'utf8').matchAll(/pause\('([a-z-]+)'\)/g)].map(
      ([, name]) => name!,
    ),
)

test('there are pause points in all three jobs', () => {
  expect(POINTS).toEqual([
    'payment-asked-not-sent',
    'payment-made-not-stored',
    'payment-not-asked',
    'payment-answer-not-stored',
    'refund-answer-not-stored',
    'refund-asked-not-sent',
    'fiat-invoice-run-out',
  ])
})

describe.each(POINTS)('killed at %s', (point) => {
  /** Dies once where the point is passed first, and lives on. */
  const work = async (ms = 0): Promise<void> => {
    if (!world.passed.has(point)) world.killAt = point
    await world.later(ms)
    world.killAt = undefined
    await world.later(150_000)
  }

  test('an invoice is paid once, refunded once, and another one ends in time', async () => {
    const id = await world.create()
    const idle = await world.create({ meta: 'idle' })
    await world.proceed(id)
    await work()
    // Where the answer of the first order is lost the other acquirer has one too; both stay watched.
    await world.proceed(id)
    await work()
    const payments = await world.payments(id)
    const { id: reference, acquirer } = payments.findLast(({ page }) => page !== null)!
    expect(payments.length).toBeLessThanOrEqual(2)
    const account = acquirer === 'first' ? world.first : world.second
    account.pays(reference)
    await work(HOUR_MS)
    expect((await world.lookup(id)).status).toBe('DONE')
    expect(await world.balance('merchant')).toBe(98_00n)
    const moment = { at: new Date(world.now), newId: world.runtime.newId }
    const refund = () =>
      inTransaction(world.db, (tx) =>
        requestRefund(
          tx,
          { paymentId: reference, units: 98_00n, reason: 'r', actor: 'a' },
          { accounts: [account] },
          moment,
        ),
      )
    const { id: refundId } = await refund()
    await work()
    if (point === 'refund-asked-not-sent') {
      // It may have been heard, so it is not sent again: the operator looks in the acquirer's console, and asks for
      // another.
      expect(account.refundsSent).toBe(0)
      await world.later(HOUR_MS)
      await world.act((tx, at) =>
        resolveRefund(tx, { id: refundId, how: 'refused', by: 'not there' }, world.subscriber, at),
      )
      await refund()
      await work()
    }
    expect(await world.balance('merchant')).toBe(0n)
    expect([...account.refunds.values()]).toEqual([{ units: 98_00n, reference }])
    await work(73 * HOUR_MS)
    expect((await world.lookup(idle)).status).toBe('FAILED')
    expect(world.passed).toContain(point)
    expect(await world.statuses()).toEqual(['Pending', 'Done', 'Failed'])
  })
})

test('an order that was lost with the process is never given to the same acquirer again: the next one has one of its own', async () => {
  const id = await world.create()
  await world.proceed(id)
  world.killAt = 'payment-asked-not-sent'
  await world.work()
  world.killAt = undefined
  await world.later(HOUR_MS)
  expect([world.first.orders.size, world.second.orders.size]).toEqual([0, 1])
  expect((await world.payments(id)).map(({ acquirer, state }) => [acquirer, state])).toEqual([
    ['first', 'unsure'],
    ['second', 'open'],
  ])
  expect((await world.forPayer(id)).status).toMatchObject({ at: 'leaving' })
  await world.later(74 * HOUR_MS)
  expect((await world.lookup(id)).status).toBe('FAILED')
})

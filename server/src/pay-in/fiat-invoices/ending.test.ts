import { fiatInvoiceNotice } from '@bursar/contract'
import { sql } from 'kysely'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { acceptPayment, resolveRefund } from '../../cards/acquiring/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { announceSending, listMails } from '../../merchants/mail/index.ts'
import { HOUR_MS, useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'
import { spendMoney } from '../../../../test/world/ledger.ts'

const world = useFiatInvoices()

describe('the end of 72 hours', () => {
  test('fails an invoice without an attempt to pay it, which can not be paid any more', async () => {
    const id = await world.create()
    await world.later(72 * HOUR_MS - 1)
    expect((await world.lookup(id)).status).toBe('CREATED')
    await world.later(1)
    expect((await world.lookup(id)).status).toBe('FAILED')
    const { body } = (await world.notices())[0]!
    expect(body).toMatchObject({ status: 'Failed', error: { code: 1, message: 'Not paid in time' }, ticker: 'UAH' })
    expect([...Value.Errors(fiatInvoiceNotice.schema, body)]).toEqual([])
    await expect(world.proceed(id)).rejects.toMatchObject({ reason: 'ended' })
    expect((await world.forPayer(id)).status).toEqual({ at: 'expired' })
  })

  test('reports the last refusal of a card, with its number', async () => {
    const { id, reference } = await world.atTheBank()
    world.first.refuses(reference)
    await world.hear(reference)
    await world.later(72 * HOUR_MS)
    expect((await world.notices()).at(-1)!.body).toMatchObject({
      status: 'Failed',
      error: { code: 51, message: 'Insufficient funds' },
    })
    expect((await world.forPayer(id)).status).toEqual({
      at: 'failed',
      why: 'funds',
      reason: 'Insufficient funds',
      charged: 'no',
      canRetry: false,
    })
  })

  test('waits for a payment that is under way, and then pays', async () => {
    const { id, reference } = await world.atTheBank()
    await world.later(72 * HOUR_MS + 60_000)
    expect((await world.lookup(id)).status).toBe('PENDING')
    world.first.pays(reference)
    await world.later(10 * 60_000)
    expect((await world.lookup(id)).status).toBe('DONE')
  })

  test('waits no longer than the page can be paid on; still later money is in suspense', async () => {
    const { id, reference } = await world.atTheBank()
    await world.later(72 * HOUR_MS + HOUR_MS)
    await world.work()
    expect((await world.lookup(id)).status).toBe('FAILED')
    world.first.pays(reference)
    await world.later(25 * HOUR_MS)
    expect((await world.lookup(id)).status).toBe('FAILED')
    expect(await world.balance('suspense')).toBe(100_00n)
    expect(await world.alerts()).toEqual(['payment-suspended'])
    expect(await world.statuses()).toEqual(['Pending', 'Failed'])
    await world.act((tx, moment) => acceptPayment(tx, reference, world.subscriber, moment))
    expect([await world.balance('suspense'), await world.balance('merchant')]).toEqual([0n, 98_00n])
    expect(await world.alerts()).toEqual([])
  })

  test('concludes nothing while the acquirer can not be asked', async () => {
    const { id, reference } = await world.atTheBank()
    world.first.troubles.push(...Array.from({ length: 40 }, () => ({ at: 'state', error: 'not-sent' }) as const))
    for (let i = 0; i < 30; i += 1) await world.later(4 * HOUR_MS)
    expect((await world.lookup(id)).status).toBe('PENDING')
    expect(await world.alerts()).toEqual(['acquirer-unreachable'])
    world.first.troubles.length = 0
    world.first.pays(reference)
    await world.later(4 * HOUR_MS)
    expect((await world.lookup(id)).status).toBe('DONE')
    expect(await world.alerts()).toEqual([])
  })
})

describe('money that goes back', () => {
  const reverse = async (reference: string): Promise<void> => {
    world.first.reverses(reference, 'all')
    await world.hear(reference)
    await world.work()
  }

  test('F8 a chargeback takes back the available money, once; the acquirer keeps its cost', async () => {
    const [one] = [await world.paidInvoice(), await world.paidInvoice()]
    await reverse(one.reference)
    expect(await world.balance('merchant')).toBe(98_00n)
    expect(await world.balance('fees')).toBe(2_00n)
    expect(await world.balance('acquirer:first')).toBe(-(100_00n - 2n * 50n))
    expect(await world.alerts()).toEqual(['payment-reversed'])
    expect((await world.lookup(one.id)).status).toBe('DONE')
    await world.hear(one.reference, undefined, { salt: 'again' })
    await world.work()
    expect(await world.balance('merchant')).toBe(98_00n)
    expect(await world.statuses()).toEqual(['Pending', 'Done', 'Pending', 'Done'])
  })

  test('F8 money spent before a chargeback is owed, stops withdrawals, and is repaid first', async () => {
    const reference = await world.paid()
    await spendMoney(world.runtime, { merchantId: world.merchantId, asset: 'UAH' }, 90_00n)
    await reverse(reference)
    expect([await world.balance('merchant'), await world.balance('receivable')]).toEqual([0n, -90_00n])
    const { rows } = await sql<{
      reason: string
      lifted: boolean
    }>`select reason, lifted_at is not null as lifted from freezes`.execute(world.db)
    expect(rows).toEqual([{ reason: 'receivable', lifted: false }])
    await world.paid()
    expect([await world.balance('merchant'), await world.balance('receivable')]).toEqual([8_00n, 0n])
    expect(
      (await sql<{ lifted: boolean }>`select lifted_at is not null as lifted from freezes`.execute(world.db)).rows,
    ).toEqual([{ lifted: true }])
  })

  test('is shown to its payer once it is done, by mail and on the page; a refund under way or refused is not', async () => {
    await inTransaction(world.db, (tx) => announceSending(tx, true, new Date(world.now)))
    const { id, reference } = await world.paidInvoice()
    const letters = async () => (await listMails(world.db, {})).filter(({ kind }) => kind === 'card-refunded')
    expect((await world.forPayer(id)).status).toMatchObject({ at: 'paid', givenBack: 0n })
    world.first.refundAnswer = 'waiting'
    const waiting = await world.refund(reference, 30_00n)
    await world.work()
    expect((await world.forPayer(id)).status).toMatchObject({ givenBack: 0n })
    await world.later(20 * 60_000)
    await world.act((tx, moment) =>
      resolveRefund(tx, { id: waiting.id, how: 'refused', by: 'operator' }, world.subscriber, moment),
    )
    expect((await world.forPayer(id)).status).toMatchObject({ givenBack: 0n })
    expect(await letters()).toEqual([])
    expect(await world.alerts()).toEqual(['refund-refused'])
    world.first.refundAnswer = 'succeeded'
    await world.refund(reference, 30_00n)
    await world.later(60_000)
    await world.refund(reference, 20_00n)
    await world.later(60_000)
    expect((await world.forPayer(id)).status).toMatchObject({ at: 'paid', givenBack: 50_00n })
    expect((await letters()).map(({ state }) => state)).toEqual(['queued', 'queued'])
    expect(await world.statuses()).toEqual(['Pending', 'Done'])
  })

  test('F5 fifty refunds at once never come to more than the payment', async () => {
    const reference = await world.paid()
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => world.refund(reference, 60_00n)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await world.work()
    expect([...world.first.refunds.values()].map(({ units }) => units)).toEqual([60_00n])
    await expect(world.refund(reference, 60_00n)).rejects.toThrow('40 UAH can still be refunded')
    expect(await world.balance('merchant')).toBe(38_00n)
  })

  test('a refund that the balance can not pay is refused with the available amount', async () => {
    const reference = await world.paid({ amount: { value: '100.5', ticker: 'UAH' } })
    await expect(world.refund(reference, undefined)).rejects.toThrow(/has only 98\.49 UAH available$/)
  })

  test('money in suspense of which a part is given back is not given to the merchant as well', async () => {
    const suspended = async (): Promise<string> => {
      const { reference } = await world.atTheBank()
      world.first.pays(reference, { units: 90_00n })
      await world.hear(reference)
      await world.work()
      return reference
    }
    // The money of another payment would do for the rest.
    const [reference] = [await suspended(), await suspended()]
    const accept = () => world.act((tx, moment) => acceptPayment(tx, reference, world.subscriber, moment))
    await world.refund(reference, 30_00n)
    await expect(accept()).rejects.toThrow('is being given back')
    await world.work()
    expect([...world.first.refunds.values()].map(({ units }) => units)).toEqual([30_00n])
    await expect(accept()).rejects.toThrow('is being given back')
    expect([await world.balance('suspense'), await world.balance('merchant')]).toEqual([150_00n, 0n])
  })

  test('F6 nothing is given back that was never posted', async () => {
    const { reference } = await world.atTheBank()
    await expect(world.refund(reference)).rejects.toThrow('is open: only money that was posted')
    world.first.refuses(reference)
    await world.hear(reference)
    await world.work()
    await expect(world.refund(reference)).rejects.toThrow('is refused')
  })

  test('a refund waits for a clear answer, asks as the same refund, and a refusal gives the money back to the balance', async () => {
    const reference = await world.paid()
    world.first.troubles.push({ at: 'refund', error: 'lost' }, { at: 'refund', error: 'sent' })
    const made = await world.refund(reference, 50_00n)
    await world.work()
    expect(await world.balance('merchant')).toBe(98_00n)
    await world.later(60_000)
    await world.later(60_000)
    expect([...world.first.refunds.keys()]).toEqual([await world.referenceOf(made.id)])
    expect(await world.balance('merchant')).toBe(48_00n)
    world.first.refundAnswer = 'refused'
    await world.refund(reference, 10_00n)
    await world.work()
    expect(await world.balance('merchant')).toBe(48_00n)
    expect(await world.alerts()).toEqual(['refund-refused'])
  })

  test('our own whole refund makes the payment reversed at the acquirer, which is not a chargeback', async () => {
    const reference = await world.paid()
    await expect(world.refund(reference)).rejects.toThrow('the merchant has only 98 UAH available')
    await world.paid()
    await world.refund(reference)
    await reverse(reference)
    await world.later(60_000)
    expect(await world.balance('merchant')).toBe(96_00n)
    expect(await world.balance('receivable')).toBe(0n)
    expect(await world.alerts()).toEqual([])
  })
})

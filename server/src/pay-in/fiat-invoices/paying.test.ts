import { fiatInvoiceNotice } from '@bursar/contract'
import pg from 'pg'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { inTransaction } from '../../platform/db/index.ts'
import { announceSending, listMails } from '../../merchants/mail/index.ts'
import { FIAT_INVOICE_CHANNEL } from './index.ts'
import { findPaymentsFor } from './queries.ts'
import { HOUR_MS, START, useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'

const world = useFiatInvoices()

describe('an invoice that is paid', () => {
  test('goes from CREATED through PENDING and PAID to DONE, and notifies Pending and Done once with all their fields', async () => {
    const id = await world.create({ description: 'Two books', meta: 'm-1' })
    expect(await world.lookup(id)).toEqual({
      id,
      name: 'Order 7',
      company: { name: 'Shop Ltd', url: 'https://shop.example' },
      status: 'CREATED',
      amount: { value: '100', ticker: 'UAH' },
      description: 'Two books',
      meta: 'm-1',
    })
    await world.proceed(id)
    expect((await world.lookup(id)).status).toBe('PENDING')
    expect((await world.forPayer(id)).status).toEqual({ at: 'waiting' })
    await world.work()
    const [payment] = await world.payments(id)
    const reference = payment!.id
    const order = world.first.orders.get(reference)!.order
    expect(order).toMatchObject({
      ticker: 'UAH',
      units: 100_00n,
      email: 'payer@example.com',
      expiresAt: START + 72 * HOUR_MS,
      callbackUrl: 'https://pay.example/acquirers/first/callback',
      returnUrl: `https://pay.example/invoices/fiat/${id}?returned=1`,
    })
    expect((await world.forPayer(id)).status).toMatchObject({
      at: 'leaving',
      page: { method: 'GET', url: `https://first.example/pay/${reference}` },
    })

    world.first.pays(reference)
    expect(await world.hear(reference)).toEqual({ status: 200, body: `ok ${reference}` })
    expect((await world.lookup(id)).status).toBe('PAID')
    expect(await world.balance('merchant')).toBe(0n)
    await world.work()
    expect(await world.lookup(id)).toMatchObject({
      status: 'DONE',
      paidAmount: { value: '100', ticker: 'UAH' },
      fee: { value: '2', ticker: 'UAH' },
      cardNumber: '411111******1111',
    })
    expect(await world.balance('merchant')).toBe(98_00n)
    expect(await world.balance('fees')).toBe(2_00n)
    expect(await world.balance('acquirer:first')).toBe(-(100_00n - 50n))
    expect(await world.balance('acquirer-costs')).toBe(-50n)
    const notices = await world.notices()
    const common = {
      id,
      merchantId: world.merchantId,
      name: 'Order 7',
      description: 'Two books',
      email: 'payer@example.com',
      meta: 'm-1',
      ticker: 'UAH',
      amount: '100',
      time: START,
      kind: 'Invoice',
    }
    expect(notices.map(({ body }) => body)).toEqual([
      { ...common, status: 'Pending' },
      {
        ...common,
        status: 'Done',
        paidAmount: '100',
        fee: '2',
        cardNumber: '411111******1111',
        to: '411111******1111',
      },
    ])
    for (const { body } of notices) expect([...Value.Errors(fiatInvoiceNotice.schema, body)]).toEqual([])
    expect((await world.forPayer(id)).status).toEqual({ at: 'paid', when: new Date(START), givenBack: 0n })
  })

  test("audit F-9.6: mails its payer one receipt, in the language the page had, with the payment's number of the page's receipt", async () => {
    await inTransaction(world.db, (tx) => announceSending(tx, true, new Date(world.now)))
    const id = await world.create({ description: 'Two books' })
    await world.proceed(id, { language: 'kk' })
    await world.work()
    const [payment] = await world.payments(id)
    world.first.pays(payment!.id)
    await world.later(60_000)
    const mails = await listMails(world.db, {})
    expect(mails).toMatchObject([
      {
        kind: 'receipt',
        about: id,
        recipient: 'payer@example.com',
        language: 'kk',
        data: {
          pageUrl: `https://pay.example/invoices/fiat/${id}`,
          receipt: {
            kind: 'fiat',
            id,
            company: { name: 'Shop Ltd' },
            description: 'Two books',
            amount: '100',
            paidAmount: '100',
            ticker: 'UAH',
            createdAt: START,
            paidAt: START + 60_000,
            card: '411111******1111',
            reference: payment!.id,
          },
        },
      },
    ])
  })

  test('with a language has the page of the acquirer and the receipt in it, although no page was opened', async () => {
    await inTransaction(world.db, (tx) => announceSending(tx, true, new Date(world.now)))
    const id = await world.create({ language: 'ru', email: 'payer@example.com', toPendingImmediate: true })
    const usual = await world.create({ email: 'payer@example.com', toPendingImmediate: true })
    expect((await world.forPayer(id)).invoice.language).toBe('ru')
    await world.work()
    for (const one of [id, usual]) for (const payment of await world.payments(one)) world.first.pays(payment.id)
    await world.later(60_000)
    const mails = await listMails(world.db, {})
    expect(new Set(mails.map(({ about, language }) => `${about} ${language}`))).toEqual(
      new Set([`${id} ru`, `${usual} uk`]),
    )
  })

  test('is announced to open pages when the page of the acquirer is there, and when it is paid', async () => {
    const client = new pg.Client(world.database.url)
    await client.connect()
    const heard: string[] = []
    client.on('notification', ({ payload }) => heard.push(payload!))
    await client.query(`listen ${FIAT_INVOICE_CHANNEL}`)
    const { id, reference } = await world.atTheBank()
    await client.query('select 1')
    expect(heard).toEqual([id, id])
    world.first.pays(reference)
    await world.hear(reference)
    await world.work()
    await client.query('select 1')
    expect(heard).toEqual([id, id, id, id])
    await client.end()
  })

  test('is found by asking when the callback is lost', async () => {
    const { id, reference } = await world.atTheBank()
    world.first.pays(reference)
    await world.later(60_000)
    expect((await world.lookup(id)).status).toBe('DONE')
    expect(await world.statuses()).toEqual(['Pending', 'Done'])
  })

  test('after a refused card is paid by the second try, and the first page brings no second credit', async () => {
    const { id, reference } = await world.atTheBank()
    world.first.refuses(reference)
    await world.hear(reference)
    await world.work()
    expect((await world.forPayer(id)).status).toEqual({
      at: 'failed',
      why: 'funds',
      reason: 'Insufficient funds',
      charged: 'no',
      canRetry: true,
    })
    expect((await world.lookup(id)).status).toBe('PENDING')
    await world.proceed(id)
    await world.work()
    const [, again] = await world.payments(id)
    world.first.pays(again!.id)
    await world.hear(again!.id)
    await world.work()
    expect((await world.lookup(id)).status).toBe('DONE')
    // The payer had the first page open as well, and the acquirer let the card through after all.
    world.first.pays(reference)
    await world.hear(reference)
    await world.work()
    expect(await world.balance('merchant')).toBe(98_00n)
    expect(await world.balance('suspense')).toBe(100_00n)
    expect(await world.alerts()).toEqual(['payment-suspended'])
    expect(await world.statuses()).toEqual(['Pending', 'Done'])
  })

  test('continuing twice plans one payment', async () => {
    const id = await world.create()
    await Promise.all([world.proceed(id), world.proceed(id), world.proceed(id)])
    expect(await world.payments(id)).toHaveLength(1)
    expect(await world.statuses()).toEqual(['Pending'])
  })

  test('toPendingImmediate skips the first step', async () => {
    const id = await world.create({ toPendingImmediate: true })
    expect((await world.lookup(id)).status).toBe('PENDING')
    await world.work()
    expect((await world.forPayer(id)).status.at).toBe('leaving')
    const { body } = (await world.notices())[0]!
    expect(body).toMatchObject({ status: 'Pending', amount: '100' })
    expect(body.email).toBeUndefined()
  })

  test('the payer chooses the parts that the merchant left open', async () => {
    const id = await world.create({ amount: undefined })
    expect(await world.lookup(id)).toMatchObject({ amount: null })
    expect((await world.forPayer(id)).status).toMatchObject({
      at: 'open',
      offered: [{ ticker: 'UAH' }, { ticker: 'KZT' }],
    })
    await expect(world.proceed(id, { value: '100' })).rejects.toMatchObject({ reason: 'choose-ticker' })
    await expect(world.proceed(id, { ticker: 'USD', value: '100' })).rejects.toMatchObject({ reason: 'ticker-refused' })
    await expect(world.proceed(id, { ticker: 'KZT' })).rejects.toMatchObject({ reason: 'choose-value' })
    await expect(world.proceed(id, { ticker: 'KZT', value: '1e9' })).rejects.toMatchObject({ reason: 'value-invalid' })
    await expect(world.proceed(id, { ticker: 'KZT', value: '11999.99' })).rejects.toMatchObject({
      reason: 'value-limits',
      asset: { ticker: 'KZT' },
    })
    await expect(world.proceed(id, { ticker: 'KZT', value: '12000', email: ' ' })).rejects.toMatchObject({
      reason: 'email-missing',
    })
    await expect(world.proceed(id, { ticker: 'KZT', value: '12000', email: 'nobody' })).rejects.toMatchObject({
      reason: 'email-invalid',
    })
    expect(await world.statuses()).toEqual([])
    await world.proceed(id, { ticker: 'KZT', value: '12000,50' })
    expect(await world.lookup(id)).toMatchObject({ status: 'PENDING', amount: { value: '12000.5', ticker: 'KZT' } })
  })
})

describe('an acquirer that does not take the order', () => {
  test.each(['refusal', 'not-sent'] as const)('is passed over for the next one: %s', async (error) => {
    world.first.troubles.push({ at: 'create', error })
    const id = await world.create()
    await world.proceed(id)
    await world.work()
    const [one, two] = await world.payments(id)
    expect((await findPaymentsFor(world.db, id))?.map((payment) => payment.id)).toEqual([one!.id, two!.id])
    expect(await findPaymentsFor(world.db, one!.id)).toBeUndefined()
    expect(one).toMatchObject({ acquirer: 'first', state: 'not-taken' })
    expect(two).toMatchObject({ acquirer: 'second', state: 'open', tried: ['first'] })
    expect(two!.id).not.toBe(one!.id)
    world.second.pays(two!.id)
    await world.callback(world.second, world.second.callback(two!.id))
    await world.work()
    expect((await world.lookup(id)).status).toBe('DONE')
    expect(await world.balance('acquirer:second')).toBe(-(100_00n - 50n))
  })

  /** Sent to the first, whose answer is lost (and whose page was never shown), and given to the second. */
  const passedOn = async (error: 'lost' | 'sent' = 'lost') => {
    world.first.troubles.push({ at: 'create', error })
    const id = await world.create()
    await world.proceed(id)
    await world.work()
    const [one, two, ...others] = await world.payments(id)
    expect(others).toEqual([])
    expect(one).toMatchObject({ acquirer: 'first', state: 'unsure', page: null })
    expect(two).toMatchObject({ acquirer: 'second', state: 'open', tried: ['first'] })
    expect((await world.forPayer(id)).status).toMatchObject({
      at: 'leaving',
      page: { url: `https://second.example/pay/${two!.id}` },
    })
    return { id, one: one!.id, two: two!.id }
  }

  test.each(['lost', 'sent'] as const)(
    'F4 whose answer is lost has shown no page: the next acquirer gets a new order, and both orders are queried (%s)',
    async (error) => {
      const { id, one, two } = await passedOn(error)
      world.second.pays(two)
      await world.later(60_000)
      expect((await world.lookup(id)).status).toBe('DONE')
      expect(await world.balance('merchant')).toBe(98_00n)
      const asked = world.first.asked
      await world.later(HOUR_MS)
      expect(world.first.asked).toBeGreaterThan(asked)
      await world.later(80 * HOUR_MS)
      expect((await world.payments(id)).map(({ state }) => state)).toEqual(['expired', 'credited'])
      expect((await world.payments(id))[0]!.id).toBe(one)
      expect(await world.statuses()).toEqual(['Pending', 'Done'])
    },
  )

  test.each(['first', 'second'] as const)(
    'F4 an invoice paid at both is credited once and seen twice: the %s one earlier',
    async (early) => {
      const { id, one, two } = await passedOn()
      const pay = async (name: 'first' | 'second') => {
        const reference = name === 'first' ? one : two
        world[name].pays(reference)
        await world.callback(world[name], world[name].callback(reference))
        await world.work()
      }
      await pay(early)
      expect((await world.lookup(id)).status).toBe('DONE')
      await pay(early === 'first' ? 'second' : 'first')
      const states = (await world.payments(id)).map(({ acquirer, state, suspendedFor }) => [
        acquirer,
        state,
        suspendedFor,
      ])
      expect(states).toEqual(
        early === 'first'
          ? [
              ['first', 'credited', null],
              ['second', 'suspended', 'paid-before'],
            ]
          : [
              ['first', 'suspended', 'paid-before'],
              ['second', 'credited', null],
            ],
      )
      expect(await world.balance('merchant')).toBe(98_00n)
      expect(await world.balance('suspense')).toBe(100_00n)
      expect(await world.alerts()).toEqual(['payment-suspended'])
      expect(await world.statuses()).toEqual(['Pending', 'Done'])
    },
  )

  test('F4 whose answer is lost with no acquirer left is queried, and the payer may try again', async () => {
    for (const one of [world.first, world.second]) one.troubles.push({ at: 'create', error: 'lost' })
    const id = await world.create()
    await world.proceed(id)
    await world.work()
    expect((await world.payments(id)).map(({ state }) => state)).toEqual(['unsure', 'unsure'])
    expect((await world.forPayer(id)).status).toEqual({
      at: 'failed',
      why: null,
      reason: null,
      charged: 'unknown',
      canRetry: true,
    })
    expect(await world.alerts()).toEqual(['payment-not-taken'])
    world.first.pays((await world.payments(id))[0]!.id)
    await world.later(60_000)
    expect((await world.lookup(id)).status).toBe('DONE')
  })

  test('when all refuse, the page says so and the payer may try again', async () => {
    for (const one of [world.first, world.second]) one.troubles.push({ at: 'create', error: 'refusal' })
    const id = await world.create()
    await world.proceed(id)
    await world.work()
    expect((await world.forPayer(id)).status).toEqual({
      at: 'failed',
      why: 'unavailable',
      reason: null,
      charged: 'no',
      canRetry: true,
    })
    expect(await world.alerts()).toEqual(['payment-not-taken'])
    await world.proceed(id)
    await world.work()
    expect((await world.forPayer(id)).status.at).toBe('leaving')
    expect(await world.alerts()).toEqual([])
  })

  test('comes last after it has failed three times', async () => {
    for (let i = 0; i < 3; i += 1) {
      world.first.troubles.push({ at: 'create', error: 'not-sent' })
      await world.proceed(await world.create())
      await world.work()
    }
    const id = await world.create()
    await world.proceed(id)
    expect((await world.payments(id))[0]!.acquirer).toBe('second')
  })
})

import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { openFiatInvoices, START, type FiatWorld } from '../../../../test/world/fiat-invoices.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'

const database = useDb()
let world: FiatWorld
beforeAll(async () => {
  world = await openFiatInvoices(database)
})

const LIMITS = 'UAH 25 to 29999, KZT 12000 to 300000'

test('audit S-12: an invoice shows the API key that signed for it; one made by a form has no key', async () => {
  const keyId = randomUUID()
  const { body } = await world.call('createFiatInvoice', { body: { name: 'x' }, keyId })
  const formed = (await world.form({ merchantId: world.merchantId, name: 'Donation' })).headers
    .location!.split('/')
    .at(-1)!
  const keyOf = async (id: unknown) =>
    (await sql<{ key: string | null }>`select api_key_id as key from fiat_invoices where id = ${id}`.execute(world.db))
      .rows[0]!.key
  expect([await keyOf(body.id), await keyOf(formed)]).toEqual([keyId, null])
})

describe('an invoice by the API', () => {
  test('H4 answers its id, which does not show its time, and the page', async () => {
    const { status, body } = await world.call('createFiatInvoice', { body: { name: 'x' } })
    expect(status).toBe(200)
    expect(body).toEqual({ id: body.id, url: `https://pay.example/invoices/fiat/${body.id}` })
    expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
  })

  test.each([
    [{ value: '24.99', ticker: 'UAH' }, 'amount.value', LIMITS],
    [{ value: '29999.01', ticker: 'UAH' }, 'amount.value', LIMITS],
    [{ value: '11999', ticker: 'KZT' }, 'amount.value', LIMITS],
    [{ value: '300001', ticker: 'KZT' }, 'amount.value', LIMITS],
    [{ value: '100.001', ticker: 'UAH' }, 'amount.value', 'more decimals than the 2'],
    [{ value: '1e3', ticker: 'UAH' }, 'amount.value', LIMITS],
    [{ value: '100', ticker: 'USD' }, 'amount.ticker', `UAH, KZT: the limits are ${LIMITS}`],
    [{ value: '1', ticker: 'BTC' }, 'amount.ticker', 'UAH, KZT'],
  ])('refuses %j by its field, with the limits', async (amount, field, says) => {
    await expect(world.call('createFiatInvoice', { body: { name: 'x', amount } })).rejects.toMatchObject({
      status: 400,
      code: 100,
      field,
      message: expect.stringContaining(says),
    })
  })

  test.each([
    ['25', 'UAH'],
    ['29999', 'UAH'],
    ['12000', 'KZT'],
    ['300000', 'KZT'],
    ['100.10', 'UAH'],
  ])('takes %s %s', async (value, ticker) => {
    const id = await world.create({ amount: { value, ticker } })
    expect((await world.lookup(id)).amount).toEqual({ value: String(Number(value)), ticker })
  })

  test.each([
    [{ target: { ticker: 'DOGE' } }, 400, 'target.ticker'],
    [{ toPendingImmediate: true }, 400, 'amount'],
    [{ email: 'a@' }, 400, 'email'],
    [{ redirectUrl: 'javascript:alert(1)' }, 400, 'redirectUrl'],
    [{ redirectUrl: 'https://shop.example\\@evil.example' }, 400, 'redirectUrl'],
  ])('refuses %j', async (more, status, field) => {
    await expect(world.call('createFiatInvoice', { body: { name: 'x', ...more } })).rejects.toMatchObject({
      status,
      field,
    })
  })

  test("audit F-6: a visitor with its link changes neither the merchant's e-mail address nor the one its payer gave", async () => {
    const email = async (id: string) => (await world.forPayer(id)).invoice.email
    const known = await world.create({ email: 'buyer@example.com' })
    await world.proceed(known, { email: 'thief@example.com' })
    expect(await email(known)).toBe('buyer@example.com')
    const { id, reference } = await world.atTheBank()
    world.first.refuses(reference)
    await world.callback(world.first, world.first.callback(reference))
    await world.work()
    await world.proceed(id, { email: 'thief@example.com' })
    expect([await email(id), (await world.payments(id)).map((payment) => payment.email)]).toEqual([
      'payer@example.com',
      ['payer@example.com', 'payer@example.com'],
    ])
  })

  test('A13 of another merchant is not found, nor an unknown id, nor an invalid one', async () => {
    const id = await world.create()
    const other = await makeMerchant(world.db, START)
    for (const [merchantId, asked] of [
      [other.id, id],
      [world.merchantId, world.runtime.newId()],
      [world.merchantId, "' or 1=1"],
    ]) {
      await expect(
        world.call('getFiatInvoice', { merchantId: merchantId!, params: { id: asked! } }),
      ).rejects.toMatchObject({ status: 404, code: 101 })
    }
  })

  test('asked for twice under one Idempotency-Key is one invoice', async () => {
    const request = { body: { name: 'once' }, answerKeys: [{ key: 'k', fingerprint: 'f' }] }
    const [one, two] = await Promise.all([
      world.call('createFiatInvoice', request),
      world.call('createFiatInvoice', request),
    ])
    expect(one.body.id).toBe(two.body.id)
  })
})

describe('an invoice by a form', () => {
  const form = (fields: Record<string, string>) =>
    world.form({ merchantId: world.merchantId, name: 'Donation', ...fields })

  test('sends the payer on to the page', async () => {
    const answer = await form({ value: '100', ticker: 'UAH', meta: 'm' })
    expect(answer.status).toBe(303)
    const id = answer.headers.location!.split('/').at(-1)!
    expect(await world.lookup(id)).toMatchObject({
      name: 'Donation',
      amount: { value: '100', ticker: 'UAH' },
      meta: 'm',
      status: 'CREATED',
    })
  })

  test('leaves the amount to the payer, in a currency the form may fix', async () => {
    const id = (await form({ ticker: 'KZT' })).headers.location!.split('/').at(-1)!
    expect((await world.forPayer(id)).status).toMatchObject({ at: 'open', offered: [{ ticker: 'KZT' }] })
    await world.proceed(id, { value: '12000' })
    expect((await world.lookup(id)).amount).toEqual({ value: '12000', ticker: 'KZT' })
  })

  test.each([
    [{ value: '1', ticker: 'UAH' }, 400, 'value', LIMITS],
    [{ ticker: 'USD' }, 400, 'ticker', LIMITS],
    [{ merchantId: 'nobody' }, 400, 'merchantId', 'unknown merchant'],
    [{ redirectUrl: 'https://evil.example/' }, 400, 'redirectUrl', 'settings'],
    [{ targetTicker: 'DOGE' }, 400, 'target.ticker', 'must be one of'],
    [
      { targetTicker: 'USDT', targetAddress: 'T1', targetBlockchain: 'TRON' },
      400,
      'targetAddress',
      'settings of this merchant',
    ],
  ])('refuses %j', async (fields, status, field, says) => {
    await expect(form(fields as unknown as Record<string, string>)).rejects.toMatchObject({
      status,
      field,
      message: expect.stringContaining(says),
    })
  })

  test('audit C-6: a value without a ticker is in UAH, unless the merchant sets other currencies', async () => {
    const id = (await form({ value: '100' })).headers.location!.split('/').at(-1)!
    expect(await world.lookup(id)).toMatchObject({ amount: { value: '100', ticker: 'UAH' } })
    await expect(form({ value: '30000' })).rejects.toMatchObject({
      status: 400,
      field: 'value',
      message: expect.stringContaining('UAH 25 to 29999'),
    })
  })

  test('audit C-6: a value without a ticker is in the currency that its payer chooses among those that admit it', async () => {
    const fresh = await openFiatInvoices(database)
    await fresh.set({ formCurrencies: 'UAH,KZT' })
    const idOf = async (value: string) =>
      (await fresh.form({ merchantId: fresh.merchantId, name: 'Donation', value })).headers.location!.split('/').at(-1)!
    const id = await idOf('15000')
    expect((await fresh.forPayer(id)).status).toMatchObject({
      at: 'open',
      offered: [{ ticker: 'UAH' }, { ticker: 'KZT' }],
    })
    await expect(fresh.proceed(id)).rejects.toMatchObject({ reason: 'choose-ticker' })
    await fresh.proceed(id, { ticker: 'KZT', value: '12000' })
    const { invoice } = await fresh.forPayer(id)
    expect([invoice.ticker, invoice.units]).toEqual(['KZT', 15_000_00n])
    for (const [value, ticker] of [
      ['100', 'UAH'],
      ['200000', 'KZT'],
    ] as const)
      expect((await fresh.forPayer(await idOf(value))).invoice).toMatchObject({ ticker, askedIn: null })
    await expect(idOf('1')).rejects.toMatchObject({
      field: 'value',
      message: expect.stringContaining('UAH 25 to 29999, KZT 12000 to 300000'),
    })
  })

  test('may send the payer back to a host of the merchant', async () => {
    const fresh = await openFiatInvoices(database)
    await fresh.set({ redirectHosts: 'shop.example' })
    const answer = await fresh.form({
      merchantId: fresh.merchantId,
      name: 'x',
      redirectUrl: 'https://shop.example/thanks',
    })
    expect(answer.status).toBe(303)
  })
})

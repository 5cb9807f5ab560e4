import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { cryptoInvoiceNotice } from '@bursar/contract'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { HOUR, SHOP, useCryptoInvoices } from '../../../../test/world/crypto-invoices.ts'
import { firstPage } from '../../platform/lists/page.ts'
import { listInvoices } from './listing.ts'

const world = useCryptoInvoices()

const USDT = { value: '100', ticker: 'USDT', blockchain: 'BINANCE_SMART_CHAIN' }

const fits = (body: Record<string, unknown>): void =>
  expect([...Value.Errors(cryptoInvoiceNotice.statuses[body.status as string]!, body)]).toEqual([])

describe('a request', () => {
  test.each([
    [{ amount: { value: '100', ticker: 'DOGE' } }, 'amount.ticker'],
    [{ amount: { value: '100', ticker: 'USDT', blockchain: 'TRON' } }, 'amount.blockchain'],
    [{ amount: { value: '100', ticker: 'USDT', blockchain: 'constructor' } }, 'amount.blockchain'],
    [{ amount: { value: '100.0000001', ticker: 'USDT', blockchain: 'ETHEREUM' } }, 'amount.value'],
    [{ amount: { value: '0.5', ticker: 'USDT' } }, 'amount.value'],
    [{ amount: { value: '1', ticker: 'USDT' }, baseAmount: { value: '1', ticker: 'USD' } }, 'amount.value'],
    [{ baseAmount: { value: '1', ticker: 'KZT' } }, 'baseAmount.ticker'],
    [{ baseAmount: { value: '1.005', ticker: 'USD' } }, 'baseAmount.value'],
    [{ duration: 59_999 }, 'duration'],
    [{ duration: '1000' }, 'duration'],
    [{ duration: 3_600_000, clientDuration: 3_600_001 }, 'clientDuration'],
    [{ redirectUrl: 'https://a@shop.example/' }, 'redirectUrl'],
  ])('%j is refused by the name of the field', async (body, field) => {
    expect(await world.call('createCryptoInvoice', { body: { name: 'x', ...body } })).toMatchObject({
      status: 400,
      body: { code: 100, field },
    })
  })

  test.each([
    [{}, { ticker: '', blockchain: '', amount: '0' }],
    [{ baseAmount: { value: '100', ticker: 'USD' } }, { ticker: '', blockchain: '', amount: '0' }],
    [{ amount: { ticker: 'USDT' } }, { ticker: 'USDT', blockchain: '', amount: '0' }],
    [{ amount: USDT }, { ticker: 'USDT', blockchain: 'BINANCE_SMART_CHAIN', amount: '100' }],
  ])('audit C-5: that ends as %j always notifies ticker, blockchain and amount', async (asked, said) => {
    await world.create({ ...asked, duration: HOUR })
    world.now += HOUR
    await world.tick()
    const [body] = await world.notices()
    expect(body).toMatchObject({ ...said, status: 'EXPIRED' })
    fits(body!)
  })

  test.each([
    {},
    { amount: { ticker: 'USDT' } },
    { baseAmount: { value: '100', ticker: 'USD' } },
    { amount: { value: '100', ticker: 'USDT' } },
  ])('audit C-15: toPendingImmediate is refused in %j, where something is left to choose', async (open) => {
    const answer = await world.call('createCryptoInvoice', { body: { name: 'x', ...open, toPendingImmediate: true } })
    expect(answer).toMatchObject({
      status: 400,
      body: {
        code: 100,
        field: 'amount',
        description: expect.stringContaining('toPendingImmediate needs an amount') as string,
      },
    })
  })

  test.each([{}, { toPendingImmediate: true }])(
    'audit S-12: with %j its record says which API key signed for it',
    async (more) => {
      const keyId = randomUUID()
      const { body } = await world.call('createCryptoInvoice', { body: { name: 'x', amount: USDT, ...more }, keyId })
      const { rows } = await sql`select api_key_id as key from crypto_invoices where id = ${body.id}`.execute(world.db)
      expect(rows).toEqual([{ key: keyId }])
    },
  )

  test('with a language mails its payer in it, although no page was opened, until the payer chooses another one', async () => {
    const more = { amount: USDT, email: 'payer@example.com', language: 'kk' }
    const paid = await world.create({ ...more, toPendingImmediate: true })
    const chosen = await world.create(more)
    const neither = await world.create({ ...more, language: undefined, toPendingImmediate: true })
    expect((await world.find(chosen)).language).toBe('kk')
    await world.proceed(chosen, { language: 'ru' })
    for (const id of [paid, chosen, neither]) await world.confirm(await world.payment(id, '100'))
    const { rows } = await sql`select about, language from mails`.execute(world.db)
    expect(new Set(rows)).toEqual(
      new Set([
        { about: paid, language: 'kk' },
        { about: chosen, language: 'ru' },
        { about: neither, language: 'en' },
      ]),
    )
  })

  test.each([
    ['anna@Кава.укр', 'anna@xn--80aaf4a.xn--j1amh'],
    ['Anna@Payer.EXAMPLE', 'Anna@payer.example'],
    ['anna!@[10.0.0.1]', 'anna!@[10.0.0.1]'],
  ])('with the address %s stores %s, and the list finds it by both', async (email, stored) => {
    const id = await world.create({ amount: USDT, email })
    const { rows } = await sql`select email from crypto_invoices where id = ${id}`.execute(world.db)
    expect(rows).toEqual([{ email: stored }])
    const any = { ids: null, states: null, ticker: null, blockchain: null, meta: null, address: null, linkId: null }
    const page = firstPage(10)
    for (const asked of [email, stored]) {
      const filter = { ...any, email: asked, unitsFrom: null, unitsTo: null }
      expect((await listInvoices(world.db, SHOP, filter, page)).rows.map((one) => one.id)).toEqual([id])
    }
  })

  test('with a target keeps it, and refuses one that can not be', async () => {
    const { body } = (await world.call('createCryptoInvoice', {
      body: { name: 'x', target: { ticker: 'BTC' } },
    })) as unknown as { body: { id: string } }
    const { rows } = await sql`select ticker, owner_kind as kind from targets where owner_id = ${body.id}`.execute(
      world.db,
    )
    expect(rows).toEqual([{ ticker: 'BTC', kind: 'crypto-invoice' }])
    expect(await world.call('createCryptoInvoice', { body: { name: 'x', target: { ticker: 'DOGE' } } })).toMatchObject({
      status: 400,
      body: { code: 100, field: 'target.ticker' },
    })
  })

  test('repeated under one Idempotency-Key makes one invoice, also at the same moment and with the address at once', async () => {
    for (const more of [{}, { toPendingImmediate: true }]) {
      const key = `key:${JSON.stringify(more)}`
      const send = (fingerprint = 'a') =>
        world.call('createCryptoInvoice', {
          body: { name: 'x', amount: USDT, ...more },
          answerKeys: [{ key, fingerprint }],
        })
      const answers = await Promise.all([send(), send(), send()])
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.id as string}`)).size).toBe(1)
      expect(await send('b')).toMatchObject({ status: 409 })
    }
  })
})

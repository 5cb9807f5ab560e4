/** Payment links: the pages of members and of payers, with the rights of the api's role. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { fieldOf, textOf } from '../../../../test/world/dashboard.ts'
import { beginEnding } from '../../merchants/accounts/index.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { at, INVOICE, LINK, send, useInvoicing } from './test-invoicing.ts'

const { edge, browse, memberOf, shop, newLink, invoicesOf, auditOf } = useInvoicing()
const DAY = 86_400_000

describe('a payment link', () => {
  test('of an open amount makes an ordinary invoice, once for each form and amount, which its page lists', async () => {
    const merchantId = await shop()
    const member = await memberOf(merchantId, 'admin')
    const { id, path } = await newLink(member, merchantId, { least: '5', most: '50' })
    const payer = browse()
    const page = await payer.get(`${path}?lang=en`)
    expect(textOf(page)).toContain('From 5 USDT to 50 USDT')
    expect(page.headers['content-security-policy']).not.toContain('script-src')
    const key = fieldOf(page, 'key')
    const answers = await Promise.all([0, 1, 2].map(() => payer.post(path, { key, value: '10' })))
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers['location']}`)).size).toBe(1)
    const [invoice] = await invoicesOf(merchantId)
    expect(answers[0]!.headers['location']).toBe(`https://pay.example/invoices/crypto/${invoice!.id}`)
    expect([invoice!.name, invoice!.linkId]).toEqual(['Donation', id])
    expect((await payer.post(path, { key, value: '11' })).status).toBe(303)
    expect(await invoicesOf(merchantId)).toHaveLength(2)
    expect((await member.get(at(merchantId, `links/${id}`))).text).toContain(`/payments/crypto/${invoice!.id}`)
    const list = await member.get(`${at(merchantId, 'payments')}?link=${id}`)
    expect(list.text).toContain(invoice!.id)
    const none = await member.get(`${at(merchantId, 'payments')}?link=${randomUUID()}`)
    expect(none.text).not.toContain(invoice!.id)
  })

  test.each([
    ['', 'Enter an amount'],
    ['ten', 'Write the amount in digits'],
    ['5,500', 'Write the amount in digits'],
    ['5.500', 'Write the amount in digits'],
    ['4.99', 'From 5 USDT to 50 USDT'],
    ['50.000000000000000001', 'From 5 USDT to 50 USDT'],
  ])('refuses the amount %j, and shows why beside it', async (value, why) => {
    const merchantId = await shop()
    const { path } = await newLink(await memberOf(merchantId, 'admin'), merchantId, { least: '5', most: '50' })
    const sent = await send(browse(), `${path}?lang=en`, { value })
    expect([sent.status, textOf(sent).includes(why)]).toEqual([400, true])
    expect(sent.text).toContain(
      `name="value" inputmode="decimal" autocomplete="off" maxlength="50" required value="${value}"`,
    )
    expect(await invoicesOf(merchantId)).toEqual([])
  })

  test('makes a card invoice of a fixed amount, whatever amount the form has', async () => {
    const merchantId = await shop()
    const { path } = await newLink(await memberOf(merchantId, 'owner'), merchantId, {
      money: 'card:UAH',
      amount: '250',
    })
    const sent = await send(browse(), path, { value: '25' })
    const [invoice] = await invoicesOf(merchantId)
    expect([sent.status, sent.headers['location']]).toEqual([303, `https://pay.example/invoices/fiat/${invoice!.id}`])
    expect(invoice!.units).toBe(25_000n)
  })

  test('that is stopped, expired, used up or unknown makes no invoice', async () => {
    const merchantId = await shop()
    const member = await memberOf(merchantId, 'owner')
    const today = new Date(edge.clock.ms).toISOString().slice(0, 10)
    const links = {
      stopped: await newLink(member, merchantId, { amount: '5' }),
      expired: await newLink(member, merchantId, { amount: '5', expires: today }),
      used: await newLink(member, merchantId, { amount: '5', uses: '1' }),
    }
    const payer = browse()
    const keys = Object.fromEntries(
      await Promise.all(
        Object.entries(links).map(async ([name, { path }]) => [name, fieldOf(await payer.get(path), 'key')] as const),
      ),
    )
    await member.post(at(merchantId, `links/${links.stopped.id}`), { do: 'stop' })
    const first = await payer.post(links.used.path, { key: keys['used']! })
    expect(first.status).toBe(303)
    expect((await payer.post(links.used.path, { key: keys['used']! })).headers['location']).toBe(
      first.headers['location'],
    )
    edge.clock.ms += DAY
    for (const [name, { path }] of Object.entries(links)) {
      // Another browser: this payer comes back to the open invoice (link-return.test.ts).
      const other = browse()
      const answers = [await other.get(`${path}?lang=en`), await other.post(path, { key: randomUUID() })]
      expect([name, ...answers.map(({ status }) => status)]).toEqual([name, 410, 410])
      expect(textOf(answers[0]!)).toContain('This link can no longer be used')
    }
    expect(await invoicesOf(merchantId)).toHaveLength(1)
    const stray = await payer.get(`/pay/${'A'.repeat(22)}`)
    expect([stray.status, (await payer.post(`/pay/${'A'.repeat(22)}`, { key: randomUUID() })).status]).toEqual([
      404, 404,
    ])
    await sql`update crypto_invoices set state = 'expired' where merchant_id = ${merchantId}`.execute(edge.db)
    const [paid, waiting] = [
      { paid: 2, waiting: 0, refunded: false },
      { paid: 0, waiting: 2, refunded: false },
    ]
    for (const [set, status] of [
      [paid, 410],
      [waiting, 410],
      [{ ...paid, refunded: true }, 200],
      [{ ...paid, paid: 0 }, 200],
    ] as const) {
      await sql`update crypto_invoices set paid_units = ${set.paid}, waiting_units = ${set.waiting},
        refunded = ${set.refunded} where merchant_id = ${merchantId}`.execute(edge.db)
      expect((await browse().get(links.used.path)).status, JSON.stringify(set)).toBe(status)
    }
    expect((await payer.get(links.used.path)).status, 'an unpaid, expired invoice is not counted').toBe(200)
    await sql`update crypto_invoices set state = 'created' where merchant_id = ${merchantId}`.execute(edge.db)
    const again = await memberOf(merchantId, 'support')
    await again.post(at(merchantId, `links/${links.stopped.id}`), { do: 'start' })
    expect((await payer.get(links.stopped.path)).status).toBe(200)
    expect(await auditOf(merchantId)).toEqual(expect.arrayContaining(['stopped link', 'started link']))
  })

  test('of a merchant that is leaving makes no invoice, and its members make no invoices and links', async () => {
    const merchantId = await shop()
    const member = await memberOf(merchantId, 'owner')
    const { id, path } = await newLink(member, merchantId, { amount: '5' })
    const payer = browse()
    const key = fieldOf(await payer.get(path), 'key')
    const moment = { at: new Date(edge.clock.ms), newId: () => randomUUID() }
    await inTransaction(edge.db, (tx) => beginEnding(tx, { merchantId, actor: 'test' }, moment))
    expect((await payer.get(path)).status).toBe(410)
    expect((await payer.post(path, { key })).status).toBe(410)
    const stopped = await member.post(at(merchantId, `links/${id}`), { do: 'stop' })
    expect(stopped.status).toBe(303)
    for (const answer of [
      await send(member, at(merchantId, 'invoices/new'), INVOICE),
      await send(member, at(merchantId, 'links/new'), LINK),
      await member.post(at(merchantId, `links/${id}`), { do: 'start' }),
    ])
      expect([answer.status, textOf(answer).includes('The merchant is leaving')]).toEqual([409, true])
    expect(await invoicesOf(merchantId)).toEqual([])
    expect(await auditOf(merchantId)).toEqual(['created link', 'stopped link'])
  })

  test('never makes more invoices than its limit, for payers at the same moment', async () => {
    const merchantId = await shop()
    const { path } = await newLink(await memberOf(merchantId, 'owner'), merchantId, { amount: '5', uses: '2' })
    const answers = await Promise.all([0, 1, 2, 3, 4].map(() => browse().post(path, { key: randomUUID() })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 303, 410, 410, 410])
  })

  test('is neither made nor started beside 1000 active ones', async () => {
    const merchantId = await shop()
    const member = await memberOf(merchantId, 'owner')
    const { id } = await newLink(member, merchantId)
    await member.post(at(merchantId, `links/${id}`), { do: 'stop' })
    // Raw: members make links one by one.
    await sql`insert into payment_links (merchant_id, id, token, kind, name, ticker, created_at, expires_at)
      select ${merchantId}::uuid, gen_random_uuid(), left(md5(${merchantId} || i), 22), 'crypto', 'Old', 'USDT', now(),
        case when i = 1 then ${new Date(edge.clock.ms + DAY)}::timestamptz end from generate_series(1, 1000) i`.execute(
      edge.db,
    )
    const sent = await send(member, `${at(merchantId, 'links/new')}?lang=en`, LINK)
    const started = await member.post(`${at(merchantId, `links/${id}`)}?lang=en`, { do: 'start' })
    for (const answer of [sent, started])
      expect([answer.status, textOf(answer).includes('There are 1000 active payment links')]).toEqual([409, true])
    edge.clock.ms += DAY
    const again = await memberOf(merchantId, 'owner')
    expect((await send(again, at(merchantId, 'links/new'), LINK)).status).toBe(303)
  })

  test('is changed for new invoices only', async () => {
    const merchantId = await shop()
    const member = await memberOf(merchantId, 'finance')
    const { id, path } = await newLink(member, merchantId, { amount: '5' })
    await send(browse(), path, {})
    const sent = await member.post(at(merchantId, `links/${id}`), {
      do: 'save',
      key: randomUUID(),
      name: 'Coffee',
      amount: '7',
      money: 'card:UAH',
    })
    expect(sent.status).toBe(303)
    await send(browse(), path, {})
    const made = (await invoicesOf(merchantId)).map(({ name, units }) => [name, units]).toSorted()
    expect(made).toEqual([
      ['Coffee', 7n * 10n ** 18n],
      ['Donation', 5n * 10n ** 18n],
    ])
    const wrong = await member.post(at(merchantId, `links/${id}`), {
      do: 'save',
      key: randomUUID(),
      name: '',
      amount: 'x',
      uses: '0',
    })
    expect(wrong.status).toBe(400)
    for (const field of ['name', 'amount', 'uses']) expect(wrong.text).toContain(`href="#in-${field}"`)
    const many = await send(member, at(merchantId, 'links/new'), { ...LINK, uses: '10001' })
    expect([many.status, many.text.includes('href="#in-uses"')]).toEqual([400, true])
  })
})

describe('the page of a link', () => {
  test.each(LANGUAGES)('in %s is whole without scripts, and smaller than 12 kB', async (language) => {
    const merchantId = await shop()
    const { path } = await newLink(await memberOf(merchantId, 'owner'), merchantId, {
      least: '5',
      description: '<i>x</i>',
    })
    const page = await edge.raw('GET', `${path}?lang=${language}`, ['accept', 'text/html', 'accept-encoding', 'br'])
    expect(Number(page.headers['content-length'])).toBeLessThan(12_000)
    expect(page.headers['content-encoding']).toBe('br')
    const plain = await browse().get(`${path}?lang=${language}`)
    expect(plain.text).toContain(`<html lang="${language}"`)
    expect(plain.text).not.toContain('<i>x</i>')
    expect(plain.text).not.toMatch(/<script|undefined|\bnull\b/)
  })

  test('answers every hostile form with a page, and makes no invoice from it', async () => {
    const merchantId = await shop()
    const { path } = await newLink(await memberOf(merchantId, 'owner'), merchantId, { least: '5' })
    const key = randomUUID()
    const bodies = [
      '',
      'key',
      `key=${key}`,
      `key=${key}&value=-6`,
      `key=${key}&value=6e9`,
      `key=${key}&value=Infinity`,
      `key=${key}&value=%00`,
      `key=${key}&value=${'9'.repeat(60)}`,
      `key=${key}&value=%F0%28%8C`,
      `key=../../x&value=6`,
      `key=${key}&value=0x10`,
      `key=${key}&value=٦`,
      `key=${key}&value=6.0000000000000000001`,
      '%',
      `value=6&value=7`,
      `{"key":"${key}","value":"6"}`,
    ]
    for (const body of bodies) {
      const type = body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded'
      const answer = await edge.raw('POST', path, ['accept', 'text/html', 'content-type', type], body)
      expect([body, answer.status]).toEqual([body, 400])
      expect(answer.headers['content-type']).toContain('text/html')
    }
    expect((await edge.raw('POST', path, ['accept', 'text/html'], 'a'.repeat(5_000))).status).toBe(413)
    expect(await invoicesOf(merchantId)).toEqual([])
  })
})

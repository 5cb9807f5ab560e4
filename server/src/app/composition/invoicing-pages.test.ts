/** Invoices by hand and payment links: the pages of members and of payers, with the rights of the api's role. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { fieldOf, textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import type { Answer } from '../../../../test/world/edge.ts'
import { listedWorld } from '../../../../test/world/listed.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { beginEnding } from '../../merchants/accounts/index.ts'
import { ROLES, type Role } from '../../people/access/index.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import { inTransaction } from '../../platform/db/index.ts'

const { catalogue } = listedWorld(undefined as unknown as Parameters<typeof listedWorld>[0])
const { edge, browse, memberOf } = useDashboard({ catalogue })
const DAY = 86_400_000

const shop = async (): Promise<string> => (await makeMerchant(edge.db, edge.clock.ms, { name: 'Kava' })).id
const at = (merchantId: string, page: string): string => `/app/merchants/${merchantId}/${page}`

const INVOICE = { name: 'Order 7', money: 'crypto:USDT', amount: '12,50', duration: '24h' }
const LINK = { name: 'Donation', money: 'crypto:USDT', amount: '' }

/** Opens a form, and sends it with the key of the page. */
const send = async (
  browser: TestBrowser,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Answer & { key: string }> => {
  const key = fieldOf(await browser.get(path), 'key')
  return Object.assign(await browser.post(path, { key, ...fields }), { key })
}
const idIn = ({ headers }: Answer): string => /[0-9a-f-]{36}$/.exec(String(headers['location']))![0]

const newLink = async (browser: TestBrowser, merchantId: string, fields: Readonly<Record<string, string>> = {}) => {
  const sent = await send(browser, at(merchantId, 'links/new'), { ...LINK, ...fields })
  expect(sent.status).toBe(303)
  const id = idIn(sent)
  const page = await browser.get(at(merchantId, `links/${id}`))
  return { id, page, path: /https:\/\/pay\.example(\/pay\/[A-Za-z0-9_-]{22})/.exec(page.text)![1]! }
}
const invoicesOf = async (merchantId: string) =>
  (
    await sql<{ id: string; name: string; linkId: string | null; units: bigint | null; state: string }>`select id, name,
        link_id as "linkId", units, state from crypto_invoices where merchant_id = ${merchantId}
      union all select id, name, link_id, units, state from fiat_invoices where merchant_id = ${merchantId}`.execute(
      edge.db,
    )
  ).rows
const auditOf = async (merchantId: string): Promise<string[]> =>
  (
    await sql<{ action: string }>`select action from dashboard_audit where merchant_id = ${merchantId}
      and action like any(array['%invoice', '%link']) order by at, id`.execute(edge.db)
  ).rows.map(({ action }) => action)

describe('an invoice by hand', () => {
  test.each([
    ['crypto:USDT', '12.5', '12.5 USDT', '/invoices/crypto/'],
    ['crypto:USD', '12.5', '$12.50', '/invoices/crypto/'],
    ['crypto:USDT', '0,125', '0.125 USDT', '/invoices/crypto/'],
    ['crypto:USDT', '1 500,25', '1500.25 USDT', '/invoices/crypto/'],
    ['card:UAH', '100', '₴100', '/invoices/fiat/'],
  ])('in %s gets a link, a QR code and a sheet of paper', async (money, amount, shown, path) => {
    const merchantId = await shop()
    const member = await memberOf(merchantId, 'finance')
    const sent = await send(member, `${at(merchantId, 'invoices/new')}?lang=en`, { ...INVOICE, money, amount })
    expect(sent.status).toBe(303)
    const page = await member.get(String(sent.headers['location']))
    expect(textOf(page).replaceAll(' ', ' ')).toContain(shown)
    expect(page.text).toContain(
      `https://pay.example${path}${idIn({ ...sent, headers: { location: String(sent.headers['location']).split('?')[0]! } })}`,
    )
    const sheet = await member.get(String(sent.headers['location']).replace('?', '/print?'))
    expect([sheet.status, /<svg class="qr"/.test(sheet.text), textOf(sheet).includes('Order 7')]).toEqual([
      200,
      true,
      true,
    ])
    expect(await auditOf(merchantId)).toEqual(['created invoice'])
  })

  test('is made once by a double click and by the back button; with another amount it is another one', async () => {
    const merchantId = await shop()
    const member = await memberOf(merchantId, 'support')
    const path = at(merchantId, 'invoices/new')
    const key = fieldOf(await member.get(path), 'key')
    const answers = await Promise.all([0, 1, 2].map(() => member.post(path, { ...INVOICE, key })))
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers['location']}`)).size).toBe(1)
    expect(answers[0]!.status).toBe(303)
    await member.post(path, { ...INVOICE, key })
    expect(await invoicesOf(merchantId)).toHaveLength(1)
    await member.post(path, { ...INVOICE, key, amount: '13' })
    expect(await invoicesOf(merchantId)).toHaveLength(2)
    expect(await auditOf(merchantId)).toEqual(['created invoice', 'created invoice'])
  })

  test('shows every problem at once, and what was typed stays', async () => {
    const merchantId = await shop()
    const member = await memberOf(merchantId, 'owner')
    const sent = await send(member, `${at(merchantId, 'invoices/new')}?lang=en`, {
      name: '',
      money: 'crypto:DOGE',
      amount: '<b>ten',
      email: 'nobody',
      redirect: 'javascript:alert(1)',
      duration: 'never',
    })
    expect(sent.status).toBe(400)
    for (const field of ['name', 'money', 'amount', 'email', 'redirect', 'duration'])
      expect(sent.text).toContain(`href="#in-${field}"`)
    expect(sent.text).toContain('value="&lt;b&gt;ten"')
    expect(fieldOf(sent, 'key')).toBe(sent.key)
    expect(await invoicesOf(merchantId)).toEqual([])
  })

  test('refuses a text that is too long, instead of leaving it out', async () => {
    const merchantId = await shop()
    const member = await memberOf(merchantId, 'owner')
    const long = { name: 'n'.repeat(1_500), description: 'd'.repeat(1_001), meta: 'm'.repeat(1_001) }
    const redirect = `https://shop.example/${'r'.repeat(3_000)}`
    const sent = await send(member, at(merchantId, 'invoices/new'), { ...INVOICE, ...long, redirect })
    expect(sent.status).toBe(400)
    for (const field of ['name', 'description', 'meta', 'redirect']) expect(sent.text).toContain(`href="#in-${field}"`)
    expect(sent.text).toContain(long.description)
    expect(await invoicesOf(merchantId)).toEqual([])
  })

  test.each([
    ['card:UAH', '1'],
    ['card:UAH', '100.001'],
    ['crypto:USDT', '0'],
    ['crypto:USD', '1.001'],
    ['crypto:BTC', '1e3'],
    ['crypto:USDT', '1,500'],
    ['crypto:USDT', '12 345,678'],
    ['crypto:USDT', '1,500,000'],
    ['crypto:USDT', '1,500.00'],
  ])('in %s of %s is refused by its amount', async (money, amount) => {
    const merchantId = await shop()
    const sent = await send(await memberOf(merchantId, 'owner'), at(merchantId, 'invoices/new'), {
      ...INVOICE,
      money,
      amount,
    })
    expect([sent.status, sent.text.includes('href="#in-amount"')]).toEqual([400, true])
  })
})

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

  test('that is stopped, expired, used up, unknown or of a disabled merchant makes no invoice', async () => {
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
      const answers = [await payer.get(`${path}?lang=en`), await payer.post(path, { key: randomUUID() })]
      expect([name, ...answers.map(({ status }) => status)]).toEqual([name, 410, 410])
      expect(textOf(answers[0]!)).toContain('This link can no longer be used')
    }
    expect(await invoicesOf(merchantId)).toHaveLength(1)
    const stray = await payer.get(`/pay/${'A'.repeat(22)}`)
    expect([stray.status, (await payer.post(`/pay/${'A'.repeat(22)}`, { key: randomUUID() })).status]).toEqual([
      404, 404,
    ])
    await sql`update crypto_invoices set state = 'expired' where merchant_id = ${merchantId}`.execute(edge.db)
    expect((await payer.get(links.used.path)).status, 'an invoice that nobody paid is not counted').toBe(200)
    await sql`update crypto_invoices set state = 'created' where merchant_id = ${merchantId}`.execute(edge.db)
    const again = await memberOf(merchantId, 'support')
    await again.post(at(merchantId, `links/${links.stopped.id}`), { do: 'start' })
    expect((await payer.get(links.stopped.path)).status).toBe(200)
    expect(await auditOf(merchantId)).toEqual(expect.arrayContaining(['stopped link', 'started link']))
  })

  test('of a merchant that is leaving makes no invoice, and its members make none by hand', async () => {
    const merchantId = await shop()
    const member = await memberOf(merchantId, 'owner')
    const { path } = await newLink(member, merchantId, { amount: '5' })
    const payer = browse()
    const key = fieldOf(await payer.get(path), 'key')
    const moment = { at: new Date(edge.clock.ms), newId: () => randomUUID() }
    await inTransaction(edge.db, (tx) => beginEnding(tx, { merchantId, actor: 'test' }, moment))
    expect((await payer.get(path)).status).toBe(410)
    expect((await payer.post(path, { key })).status).toBe(410)
    expect((await send(member, at(merchantId, 'invoices/new'), INVOICE)).status).toBe(409)
    expect(await invoicesOf(merchantId)).toEqual([])
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

describe('permissions', () => {
  const MAY: readonly Role[] = ['owner', 'admin', 'finance', 'support']

  test('each role may make invoices and links, or is refused and makes none', async () => {
    const merchantId = await shop()
    const { id } = await newLink(await memberOf(merchantId, 'owner'), merchantId)
    for (const role of ROLES) {
      const member = await memberOf(merchantId, role)
      const may = MAY.includes(role)
      const forms = [
        ['invoices/new', INVOICE],
        ['links/new', LINK],
        [`links/${id}`, { do: 'stop' }],
      ] as const
      const before = (await auditOf(merchantId)).length
      for (const [page, fields] of forms) {
        const { status } = await member.post(at(merchantId, page), { ...fields, key: randomUUID() })
        expect([role, page, status]).toEqual([role, page, may ? 303 : 403])
      }
      expect((await member.get(at(merchantId, 'links'))).status).toBe(200)
      expect((await member.get(at(merchantId, `links/${id}`))).text.includes('value="save"')).toBe(may)
      if (!may) expect(await auditOf(merchantId)).toHaveLength(before)
    }
  })

  test('nothing of another merchant is shown or changed, by any id', async () => {
    const [mine, other] = [await shop(), await shop()]
    const [owner, stranger] = [await memberOf(mine, 'owner'), await memberOf(other, 'owner')]
    const { id, path } = await newLink(owner, mine, { amount: '5' })
    const invoiceId = idIn(await send(owner, at(mine, 'invoices/new'), INVOICE))
    const pages = [
      `links/${id}`,
      `links/${id}/print`,
      `invoices/crypto/${invoiceId}`,
      `invoices/crypto/${invoiceId}/print`,
    ]
    for (const page of pages) {
      expect([page, (await owner.get(at(mine, page))).status]).toEqual([page, 200])
      for (const merchantId of [mine, other])
        expect([page, (await stranger.get(at(merchantId, page))).status]).toEqual([page, 404])
    }
    for (const merchantId of [mine, other])
      for (const fields of [{ do: 'stop' }, { do: 'save', name: 'Mine now', amount: '9' }]) {
        const { status } = await stranger.post(at(merchantId, `links/${id}`), { ...fields, key: randomUUID() })
        expect(status).toBe(404)
      }
    expect(textOf(await browse().get(path))).toContain('Donation')
    const forged = await owner.post(at(mine, `links/${id}`), { do: 'stop' }, ['origin', 'https://evil.example'])
    expect([forged.status, (await browse().get(path)).status]).toEqual([400, 200])
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

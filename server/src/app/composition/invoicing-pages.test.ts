/** Invoices by hand, and permissions of the pages of invoices and payment links, with the rights of the api's role. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { fieldOf, textOf } from '../../../../test/world/dashboard.ts'
import { ROLES, type Role } from '../../people/access/index.ts'
import { at, INVOICE, LINK, send, idIn, useInvoicing } from './test-invoicing.ts'

const { browse, memberOf, shop, newLink, invoicesOf, auditOf } = useInvoicing()

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
      email: 'not-an-address',
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
    ['crypto:USDT', '1.500'],
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

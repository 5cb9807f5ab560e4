import { operations } from '@bursar/contract'
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Merchant } from '../../merchants/accounts/index.ts'
import {
  createFormReader,
  findFormMerchant,
  readFormRedirect,
  readFormTarget,
  readRedirect,
  tokenText,
} from './index.ts'

const schema = operations.find(({ id }) => id === 'createCryptoInvoiceByForm')!.body!
const read = createFormReader(schema)
const form = async (text: string | Buffer, type = 'application/x-www-form-urlencoded') =>
  read({ headers: { 'content-type': type }, body: Buffer.from(text) })

describe('a form', () => {
  test('is read as browsers write it: plus for a space, empty fields absent, text in UTF-8', async () => {
    expect(
      await form(
        'merchantId=a&name=Two+books+%E2%9C%93+1%2B1&value=&ticker=&description=a%0D%0Ab',
        'application/x-www-form-urlencoded; charset=UTF-8',
      ),
    ).toEqual({ merchantId: 'a', name: 'Two books ✓ 1+1', description: 'a\r\nb' })
  })

  test.each([
    ['name=a&name=b', 'name', 'twice'],
    ['name=a&nmae=b', 'nmae', 'unknown field'],
    ['value=1', 'name', 'missing'],
    ['name=%ff', 'name', 'UTF-8'],
    ['name=a%00b', 'name', 'not valid'],
    ['name=a&value=1e5', 'value', 'not valid'],
    ['name=a&value=-1', 'value', 'not valid'],
    ['name=a&value=0', 'value', 'not valid'],
    ['name=a&__proto__=b', '__proto__', 'unknown field'],
    ['name=a&toString=b', 'toString', 'unknown field'],
    [`name=${'x'.repeat(256)}`, 'name', '1 to 255'],
    ['name=a&redirectUrl=javascript:alert(1)', 'redirectUrl', 'https'],
  ])('refuses %s by the name of the field', async (text, field, says) => {
    await expect(form(text)).rejects.toMatchObject({ field, status: 400, message: expect.stringContaining(says) })
  })

  test('refuses other content types, and more fields than there are', async () => {
    for (const type of ['text/plain', 'text/xml', ''])
      await expect(form('name=a', type)).rejects.toThrow(
        'application/x-www-form-urlencoded, multipart/form-data or application/json',
      )
    await expect(form(Array.from({ length: 65 }, (_, i) => `f${i}=1`).join('&'))).rejects.toThrow('at most 64')
  })

  const parts = (...fields: string[]) =>
    form(
      `${fields.map((field) => `--b\r\nContent-Disposition: form-data; ${field}\r\n`).join('')}--b--\r\n`,
      'multipart/form-data; boundary=b',
    )

  test('audit C-14: is read as multipart and as JSON too', async () => {
    const read = { merchantId: 'a', name: 'Two books ✓' }
    expect(await parts('name="merchantId"\r\n\r\na', 'name="name"\r\n\r\nTwo books ✓', 'name="value"\r\n\r\n')).toEqual(
      read,
    )
    expect(await form(JSON.stringify({ ...read, value: '' }), 'application/json; charset=utf-8')).toEqual(read)
  })

  test('audit C-14: as multipart and JSON is refused alike', async () => {
    await expect(parts('name="name"; filename="x"\r\nContent-Type: text/plain\r\n\r\na')).rejects.toMatchObject({
      field: 'name',
      message: expect.stringContaining('file'),
    })
    await expect(parts('name="name"\r\n\r\na', 'name="name"\r\n\r\nb')).rejects.toMatchObject({
      field: 'name',
      message: expect.stringContaining('twice'),
    })
    for (const body of [
      'name=a',
      '--b\r\n--b--',
      '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\na',
      '--b--',
      'x--b--',
      '',
    ])
      await expect(form(body, 'multipart/form-data; boundary=b')).rejects.toThrow()
    await expect(form('--b--', 'multipart/form-data')).rejects.toThrow('boundary')
    for (const body of ['[]', 'null', '{', '"x"']) await expect(form(body, 'application/json')).rejects.toThrow('JSON')
    await expect(form('{"name":"a","value":5}', 'application/json')).rejects.toMatchObject({
      field: 'value',
      message: expect.stringContaining('quotes'),
    })
    await expect(form('{"name":"a","nmae":"b"}', 'application/json')).rejects.toMatchObject({ field: 'nmae' })
  })

  test('audit C-14: a field that JSON sends twice is refused, as one in a form is', async () => {
    for (const body of [
      '{"name":"a","value":"1","value":"2"}',
      '{"name":"a","n\\u0061me":"b"}',
      '{"name":"a" , "name" : "a"}',
    ])
      await expect(form(body, 'application/json'), body).rejects.toThrow('sent twice')
    expect(await form('{"name":"a\\":\\"b","description":"\\\\"}', 'application/json')).toEqual({
      name: 'a":"b',
      description: '\\',
    })
  })

  test.each([
    'submit=Pay',
    'pay=',
    'btnPay=%D0%9E%D0%BF%D0%BB%D0%B0%D1%82%D0%B8%D1%82%D0%B8',
    'go.x=3&go.y=5',
    'commit=1',
    'action=donate',
  ])('audit C-14: takes the submit button %s', async (button) => {
    expect(await form(`name=a&${button}`)).toEqual({ name: 'a' })
  })

  test.each([
    'nmae=b',
    'names=b',
    'valeu=1',
    'Value=1',
    'tikcer=UAH',
    'e-mail=a@b.c',
    'redirect_url=x',
    'merchant-ID=b',
    'descripton=x',
    'amount=100',
    'currency=UAH',
    'returnUrl=x',
    'orderId=5',
    '__proto__=b',
    'constructor=b',
  ])('audit C-14: a near miss of a field is no button: %s', async (field) => {
    await expect(form(`name=a&${field}`)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('unknown field'),
    })
  })

  test('audit C-14: two buttons are not pressed at once', async () => {
    await expect(form('name=a&submit=Pay&cancel=1')).rejects.toMatchObject({
      message: expect.stringContaining('unknown field'),
    })
  })
})

const NOW = 1_000

describe('its merchant', () => {
  const id = '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10'
  const key = (purpose: 'api' | 'webhook', secret: string, expiresAt: number | null = null) => ({
    id,
    purpose,
    secret,
    createdAt: 0,
    firstUsedAt: null,
    expiresAt,
  })
  const merchant = {
    id,
    disabled: false,
    service: 'active',
    settings: { forms: true, formTokenRequired: false },
    keys: [key('api', 'old', 5_000), key('api', 'new'), key('webhook', 'hook')],
  } as unknown as Merchant
  const PATH = '/merchants/invoices/fiat/form'
  const find = (fields: Record<string, string>, known: Merchant | null = merchant, left = 5) =>
    findFormMerchant(fields, PATH, {
      directory: { find: (asked) => (asked === id ? known : null) },
      limiter: { take: () => left },
      now: () => NOW,
    })

  test('is named by merchantId or merchantID', async () => {
    expect(await find({ merchantId: id })).toBe(merchant)
    expect(await find({ merchantID: id.toUpperCase() })).toBe(merchant)
    expect(await find({ merchantID: id, merchantId: id })).toBe(merchant)
  })

  test.each([
    [{}],
    [{ merchantId: 'x' }],
    [{ merchantId: '00000000-0000-4000-8000-000000000000' }],
    [{ merchantId: id, merchantID: 'x' }],
    [{ merchantId: "' or 1=1" }],
  ])('is refused with 400 in %j', async (fields) => {
    await expect(find(fields as Record<string, string>)).rejects.toMatchObject({ status: 400 })
  })

  test('that is disabled is answered like an unknown one, and one with too many forms waits', async () => {
    await expect(find({ merchantId: id }, { ...merchant, disabled: true })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('unknown merchant'),
    })
    await expect(find({ merchantId: id }, merchant, -7)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 7 })
  })

  const signed = (fields: Record<string, string>, secret: string, until = 60) => ({
    merchantId: id,
    ...fields,
    token: `${until}.${createHmac('sha256', secret)
      .update(tokenText(PATH, id, String(until), fields))
      .digest('hex')}`,
  })
  const withSettings = (settings: object) =>
    ({ ...merchant, settings: { ...merchant.settings, ...settings } }) as Merchant

  test('audit F-9.9: whose id is known to strangers still takes signed forms when they have used up its open ones', async () => {
    const used = new Map<string, number>()
    const take = (subject: string, perMinute: number): number => {
      used.set(subject, (used.get(subject) ?? 0) + 1)
      return perMinute - used.get(subject)!
    }
    const ask = (fields: Record<string, string>) =>
      findFormMerchant(fields, PATH, { directory: { find: () => merchant }, limiter: { take }, now: () => NOW })
    for (let n = 0; n < 300; n += 1) await ask({ merchantId: id })
    await expect(ask({ merchantId: id })).rejects.toMatchObject({ status: 429 })
    expect(await ask(signed({ name: 'Donation' }, 'new'))).toBe(merchant)
  })

  test('audit S-14: may turn forms off', async () => {
    await expect(find({ merchantId: id }, withSettings({ forms: false }))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('no web forms'),
    })
  })

  test('audit S-14: may want them signed, by a valid API key, over every field but the e-mail address', async () => {
    const strict = withSettings({ formTokenRequired: true })
    const fields = { name: 'Donation', value: '100', ticker: 'UAH' }
    await expect(find({ merchantId: id, ...fields }, strict)).rejects.toMatchObject({
      field: 'token',
      message: expect.stringContaining('missing'),
    })
    for (const secret of ['old', 'new'])
      expect(await find({ ...signed(fields, secret), email: 'a@b.c' }, strict)).toBe(strict)
    for (const wrong of [
      signed(fields, 'hook'),
      signed(fields, 'other'),
      { ...signed(fields, 'new'), name: 'phish' },
      { ...signed(fields, 'new'), description: 'call +1-555' },
      { ...signed(fields, 'new'), value: '1' },
      { ...signed(fields, 'new'), token: 'x' },
      { ...signed(fields, 'new'), token: '60.' },
      signed({ ...fields, name: 'Donation\nvalue=1' }, 'new').token,
    ])
      await expect(
        find(typeof wrong === 'string' ? { merchantId: id, ...fields, token: wrong } : wrong, strict),
      ).rejects.toMatchObject({ field: 'token' })
  })

  test('attack payment forms: a price that a merchant signed can not be moved into the text of another field', async () => {
    const strict = withSettings({ formTokenRequired: true })
    const { token } = signed({ name: 'Order 7', value: '100', ticker: 'UAH', meta: 'order-7' }, 'new')
    // The same lines: the payer would choose the price, and the notification would still have the meta of the order.
    await expect(
      find({ merchantId: id, name: 'Order 7\nvalue=100\nticker=UAH', meta: 'order-7', token }, strict),
    ).rejects.toMatchObject({ field: 'name', message: expect.stringContaining('one line') })
    await expect(find(signed({ name: 'Order 7', description: 'a\r\nb' }, 'new'), strict)).rejects.toMatchObject({
      field: 'description',
    })
    expect(await find({ merchantId: id, name: 'Order 7', description: 'a\r\nb' })).toBe(merchant)
  })

  test('audit S-14: a token expires, and a wrong one is refused even if no token is needed', async () => {
    await expect(find(signed({ name: 'a' }, 'new', 0))).rejects.toMatchObject({
      field: 'token',
      message: expect.stringContaining('has ended'),
    })
    await expect(find(signed({ name: 'a' }, 'other'))).rejects.toMatchObject({ field: 'token' })
  })
})

describe('where the payer is sent on', () => {
  const hosts = { redirectHosts: ['shop.example'] }

  test('H2 is an http or https URL, in the spelling of browsers', () => {
    expect(readRedirect('https://Shop.example/a b'.replace(' ', '%20'))).toBe('https://shop.example/a%20b')
    expect(readRedirect('http://shop.example')).toBe('http://shop.example/')
    expect(readFormRedirect('https://shop.example/thanks?order=1#top', hosts)).toBe(
      'https://shop.example/thanks?order=1#top',
    )
  })

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://shop.example/x',
    'file:///etc/passwd',
    'about:blank',
    '//shop.example',
    '/\\shop.example',
    'https:shop.example',
    'https:/shop.example',
    'https:///shop.example',
    'https://',
    'https:\\\\shop.example',
    'https://shop.example\\@evil.example',
    'https://shop.example\n.evil.example',
    'https://user@shop.example',
    'https://u:p@shop.example',
    'https://shop.example/\u0000',
    'ftp://shop.example',
    'ws://shop.example',
    '',
    'shop.example',
    '\ufeffhttps://shop.example',
    'https://shop.example/\u2028',
    'intent://shop.example#Intent;scheme=https;end',
    'view-source:https://shop.example',
    'https://[::1',
    'https://shop.example:99999',
    'x-javascript:https://shop.example',
  ])('is never %j', (text) => {
    expect(() => readRedirect(text)).toThrow(expect.objectContaining({ field: 'redirectUrl' }))
    expect(() => readFormRedirect(text, hosts)).toThrow(expect.objectContaining({ field: 'redirectUrl' }))
  })

  test.each([
    'http://shop.example',
    'https://evil.example',
    'https://shop.example.evil.example',
    'https://evil.example/shop.example',
    'https://evil.example#shop.example',
    'https://evil.example?shop.example',
    'https://sub.shop.example',
    'https://shop.example:8443',
    'https://shop.example.',
    'https://ѕhop.example',
    'https://shop。example.evil.example',
  ])('is not %j when a form says so', (text) => {
    expect(() => readFormRedirect(text, hosts)).toThrow(expect.objectContaining({ field: 'redirectUrl', status: 400 }))
  })
})

test('A11 money goes on only to an address that the merchant listed', () => {
  const settings = { formTargetAddresses: ['TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'] }
  expect(readFormTarget({}, settings)).toBeUndefined()
  expect(readFormTarget({ targetTicker: 'USDT' }, settings)).toEqual({ ticker: 'USDT' })
  const whole = { targetTicker: 'USDT', targetAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', targetBlockchain: 'TRON' }
  expect(readFormTarget(whole, settings)).toEqual({ ticker: 'USDT', address: whole.targetAddress, blockchain: 'TRON' })
  for (const [fields, field] of [
    [{ ...whole, targetAddress: 'TEvil' }, 'targetAddress'],
    [{ targetTicker: 'USDT', targetAddress: whole.targetAddress }, 'targetBlockchain'],
    [{ targetAddress: whole.targetAddress, targetBlockchain: 'TRON' }, 'targetTicker'],
  ] as [Record<string, string>, string][]) {
    expect(() => readFormTarget(fields, settings)).toThrow(expect.objectContaining({ field }))
  }
})

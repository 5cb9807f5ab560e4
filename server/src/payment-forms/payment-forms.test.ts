import { operations } from '@bursar/contract'
import { describe, expect, test } from 'vitest'
import type { Merchant } from '../merchants/index.ts'
import { createFormReader, findFormMerchant, readFormRedirect, readFormTarget, readRedirect } from './index.ts'

const schema = operations.find(({ id }) => id === 'createCryptoInvoiceByForm')!.body!
const read = createFormReader(schema)
const form = (text: string | Buffer, type = 'application/x-www-form-urlencoded') => read({ headers: { 'content-type': type }, body: Buffer.from(text) })

describe('a form', () => {
  test('is read as browsers write it: plus for a space, empty fields absent, text in UTF-8', () => {
    expect(form('merchantId=a&name=Two+books+%E2%9C%93+1%2B1&value=&ticker=&description=a%0D%0Ab', 'application/x-www-form-urlencoded; charset=UTF-8'))
      .toEqual({ merchantId: 'a', name: 'Two books ✓ 1+1', description: 'a\r\nb' })
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
  ])('refuses %s by the name of the field', (text, field, says) => {
    expect(() => form(text)).toThrow(expect.objectContaining({ field, status: 400, message: expect.stringContaining(says) }))
  })

  test('refuses other content types, and more fields than there are', () => {
    expect(() => form('name=a', 'application/json')).toThrow('x-www-form-urlencoded')
    expect(() => form('name=a', 'multipart/form-data; boundary=x')).toThrow('x-www-form-urlencoded')
    expect(() => form(Array.from({ length: 65 }, (_, i) => `f${i}=1`).join('&'))).toThrow('at most 64')
  })
})

describe('its merchant', () => {
  const id = '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10'
  const merchant = { id, disabled: false } as Merchant
  const find = (fields: Record<string, string>, known: Merchant | null = merchant, left = 5) =>
    findFormMerchant(fields, { directory: { find: (asked) => (asked === id ? known : null) }, limiter: { take: () => left }, now: () => 0 })

  test('is named by merchantId or merchantID', async () => {
    expect(await find({ merchantId: id })).toBe(merchant)
    expect(await find({ merchantID: id.toUpperCase() })).toBe(merchant)
    expect(await find({ merchantID: id, merchantId: id })).toBe(merchant)
  })

  test.each([
    [{}], [{ merchantId: 'x' }], [{ merchantId: '00000000-0000-4000-8000-000000000000' }], [{ merchantId: id, merchantID: 'x' }], [{ merchantId: "' or 1=1" }],
  ])('is refused with 400 in %j', async (fields) => {
    await expect(find(fields as Record<string, string>)).rejects.toMatchObject({ status: 400 })
  })

  test('that is disabled is as unknown as nobody, and too many forms wait', async () => {
    await expect(find({ merchantId: id }, { ...merchant, disabled: true })).rejects.toMatchObject({ status: 400, message: expect.stringContaining('unknown merchant') })
    await expect(find({ merchantId: id }, merchant, -7)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 7 })
  })
})

describe('where the payer is sent on', () => {
  const hosts = { redirectHosts: ['shop.example'] }

  test('is an http or https URL, in the spelling of browsers', () => {
    expect(readRedirect('https://Shop.example/a b'.replace(' ', '%20'))).toBe('https://shop.example/a%20b')
    expect(readRedirect('http://shop.example')).toBe('http://shop.example/')
    expect(readFormRedirect('https://shop.example/thanks?order=1#top', hosts)).toBe('https://shop.example/thanks?order=1#top')
  })

  test.each([
    'javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' javascript:alert(1)', 'java\tscript:alert(1)', 'data:text/html,x', 'vbscript:x', 'blob:https://shop.example/x',
    'file:///etc/passwd', 'about:blank', '//shop.example', '/\\shop.example', 'https:shop.example', 'https:/shop.example', 'https:///shop.example', 'https://',
    'https:\\\\shop.example', 'https://shop.example\\@evil.example', 'https://shop.example\n.evil.example', 'https://user@shop.example', 'https://u:p@shop.example',
    'https://shop.example/\u0000', 'ftp://shop.example', 'ws://shop.example', '', 'shop.example', '\ufeffhttps://shop.example', 'https://shop.example/\u2028',
    'intent://shop.example#Intent;scheme=https;end', 'view-source:https://shop.example', 'https://[::1', 'https://shop.example:99999', 'x-javascript:https://shop.example',
  ])('is never %j', (text) => {
    expect(() => readRedirect(text)).toThrow(expect.objectContaining({ field: 'redirectUrl' }))
    expect(() => readFormRedirect(text, hosts)).toThrow(expect.objectContaining({ field: 'redirectUrl' }))
  })

  test.each([
    'http://shop.example', 'https://evil.example', 'https://shop.example.evil.example', 'https://evil.example/shop.example', 'https://evil.example#shop.example',
    'https://evil.example?shop.example', 'https://sub.shop.example', 'https://shop.example:8443', 'https://shop.example.', 'https://ѕhop.example', 'https://shop。example.evil.example',
  ])('is not %j when a form says so', (text) => {
    expect(() => readFormRedirect(text, hosts)).toThrow(expect.objectContaining({ field: 'redirectUrl', status: 400 }))
  })
})

test('money goes on only to an address that the merchant listed', () => {
  const settings = { formTargetAddresses: ['TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'] }
  expect(readFormTarget({}, settings)).toBeUndefined()
  expect(readFormTarget({ targetTicker: 'USDT' }, settings)).toEqual({ ticker: 'USDT' })
  const whole = { targetTicker: 'USDT', targetAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', targetBlockchain: 'TRON' }
  expect(readFormTarget(whole, settings)).toEqual({ ticker: 'USDT', address: whole.targetAddress, blockchain: 'TRON' })
  for (const [fields, field] of [
    [{ ...whole, targetAddress: 'TEvil' }, 'targetAddress'], [{ targetTicker: 'USDT', targetAddress: whole.targetAddress }, 'targetBlockchain'],
    [{ targetAddress: whole.targetAddress, targetBlockchain: 'TRON' }, 'targetTicker'],
  ] as [Record<string, string>, string][]) {
    expect(() => readFormTarget(fields, settings)).toThrow(expect.objectContaining({ field }))
  }
})

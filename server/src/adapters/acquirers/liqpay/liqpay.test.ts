import { describe, expect, test } from 'vitest'
import type { AcquirerHttp } from '../http.ts'
import { ForgedCallback, type PaymentOrder } from '../port.ts'
import { createLiqPay, type LiqPaySettings } from './index.ts'
import { LIQPAY_LIMITS } from './settings.ts'
import { isLiqPaySignature, signLiqPay } from './signature.ts'

const asked: Record<string, unknown>[] = []
let reply: { status?: number; body: unknown } = { body: {} }
const http: AcquirerHttp = {
  ask: async ({ url, body }) => {
    expect(url).toBe('https://www.liqpay.ua/api/request')
    const form = new URLSearchParams(String(body))
    expect(isLiqPaySignature('priv', form.get('data')!, form.get('signature')!)).toBe(true)
    asked.push(JSON.parse(Buffer.from(form.get('data')!, 'base64').toString()) as Record<string, unknown>)
    return {
      status: reply.status ?? 200,
      headers: {},
      body: Buffer.from(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)),
    }
  },
}
const settings: LiqPaySettings = {
  name: 'liq',
  url: 'https://www.liqpay.ua/',
  publicKey: 'i1',
  privateKey: 'priv',
  version: 3,
  ip: '',
  capabilities: LIQPAY_LIMITS,
  http,
}
const liqpay = createLiqPay(settings)
const payout = {
  reference: 'r1',
  ticker: 'UAH' as const,
  units: 10_050n,
  card: '4242424242424242',
  description: 'd',
  callbackUrl: 'https://a.example/x',
}

test('the page takes another card after it refused one, so that a refused payment is queried until its end (row A-18)', () => {
  expect(liqpay.capabilities.takesOtherCards).toBe(true)
})

describe('the checkout', () => {
  const order: PaymentOrder = {
    reference: '0197aa12-0000-7000-8000-000000000001',
    ticker: 'UAH',
    units: 10_050n,
    description: 'Замовлення "7" <b>',
    callbackUrl: 'https://a.example/cb',
    returnUrl: 'https://a.example/back',
    email: 'a@b.example',
    language: 'kk',
    expiresAt: Date.UTC(2026, 10, 21, 23, 59, 58, 999),
  }

  test('is a form for the browser, made without a request; it expires in UTC', async () => {
    const page = await liqpay.createPayment(order)
    expect(page).toMatchObject({ method: 'POST', url: 'https://www.liqpay.ua/api/3/checkout' })
    expect(Object.keys(page.fields)).toEqual(['data', 'signature'])
    const text = Buffer.from(page.fields['data']!, 'base64').toString()
    expect(JSON.parse(text)).toEqual({
      version: 3,
      public_key: 'i1',
      action: 'pay',
      amount: 100.5,
      currency: 'UAH',
      description: order.description,
      order_id: order.reference,
      server_url: order.callbackUrl,
      result_url: order.returnUrl,
      language: 'en',
      expired_date: '2026-11-21 23:59:58',
    })
    expect(text).toContain('"amount":100.50,')
    expect(page.fields['signature']).toBe(signLiqPay(3, 'priv', page.fields['data']!))
    expect(await liqpay.createPayment(order)).toEqual(page)
  })

  test('version 7 is signed with SHA3-256', async () => {
    const { fields } = await createLiqPay({ ...settings, version: 7 }).createPayment(order)
    expect(fields['signature']).toBe(signLiqPay(7, 'priv', fields['data']!))
    expect(Buffer.from(fields['signature']!, 'base64')).toHaveLength(32)
  })
})

describe('a payout', () => {
  const answer = (body: unknown, status = 200) => {
    reply = { body, status }
    return liqpay.payOut(payout)
  }

  test('is p2pcredit with the card in the signed data alone', async () => {
    await answer({})
    expect(asked.at(-1)).toEqual({
      version: 3,
      public_key: 'i1',
      action: 'p2pcredit',
      amount: 100.5,
      currency: 'UAH',
      description: 'd',
      order_id: 'r1',
      receiver_card: payout.card,
      server_url: payout.callbackUrl,
    })
  })

  test.each([
    ['an empty answer', {}],
    ["another order's", { status: 'success', order_id: 'r2', payment_id: 1, amount: 100.5, currency: 'UAH' }],
    ['success without a number', { status: 'success', order_id: 'r1', amount: 100.5, currency: 'UAH' }],
    ['a repeated order', { result: 'error', status: 'error', err_code: 'order_id_duplicate' }],
    ['busy', { result: 'error', err_code: 'payment_processing' }],
    ['wait', { result: 'error', err_code: 'wait_info' }],
    ['an unknown error', { result: 'error', err_code: 'err_new_of_2027' }],
    ['an error without a code', { result: 'error' }],
    ['a code without an error', { result: 'ok', err_code: 'limit' }],
  ])('%s leaves it unknown', async (_what, body) => {
    expect((await answer(body)).kind).toBe('unknown')
  })

  test.each([
    ['limit', undefined],
    ['err_card_type', undefined],
    ['err_limit_amount', true],
    ['shop_blocked', true],
    ['invalid_signature', true],
  ])('%s refuses it', async (code, elsewhere) => {
    const state = await answer({
      result: 'error',
      status: 'error',
      err_code: code,
      err_description: `no ${payout.card}`,
    })
    expect(state).toMatchObject({ kind: 'refused', code, message: 'no 424242******4242' })
    expect(state.kind === 'refused' && state.elsewhere).toBe(elsewhere)
  })

  test.each(['<html>', '', '[]', '{"status":"success"'])('%j is no answer', async (body) => {
    await expect(answer(body)).rejects.toMatchObject({ name: 'AcquirerUnreachable', sent: true })
  })
})

describe('asking', () => {
  test.each(['invalid_signature', 'public_key_not_found', 'shop_blocked'])(
    '%s is about the account and no payment',
    async (err_code) => {
      reply = { body: { result: 'error', status: 'error', err_code } }
      await expect(liqpay.paymentState('r1')).rejects.toThrow(`liq: it refuses to answer: ${err_code}`)
    },
  )

  test('a payment of another order decides nothing', async () => {
    reply = { body: { status: 'success', order_id: 'other', payment_id: 1, amount: 1, currency: 'UAH' } }
    expect((await liqpay.paymentState('r1')).kind).toBe('unknown')
  })
})

describe('callbacks', () => {
  const callback = (fields: object, version: 3 | 7 = 3) => {
    const data = Buffer.from(JSON.stringify(fields)).toString('base64')
    const body = Buffer.from(new URLSearchParams({ data, signature: signLiqPay(version, 'priv', data) }).toString())
    return liqpay.readCallback({ headers: {}, url: '/x', body })
  }
  const fields = {
    status: 'success',
    public_key: 'i1',
    order_id: 'r1',
    payment_id: 5,
    amount: 1.5,
    currency: 'UAH',
    action: 'pay',
  }

  test.each([3, 7] as const)('are accepted in version %i, regardless of the version of requests', (version) => {
    expect(callback(fields, version)).toMatchObject({
      reference: 'r1',
      state: { kind: 'succeeded', units: 150n, acquirerReference: '5' },
      ack: { status: 200 },
    })
  })

  test('of another company, or without an order, are not ours', () => {
    expect(() => callback({ ...fields, public_key: 'i2' })).toThrow(ForgedCallback)
    expect(() => callback({ ...fields, order_id: undefined })).toThrow(ForgedCallback)
  })
})

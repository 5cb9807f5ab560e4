import { describe, expect, test } from 'vitest'
import { signed } from '../../../../../sandbox/acquirers/wayforpay/dialect.ts'
import type { AcquirerHttp } from '../http.ts'
import type { PaymentOrder } from '../port.ts'
import { createWayForPay, type WayForPaySettings } from './index.ts'
import { WAYFORPAY_LIMITS } from './settings.ts'
import { signWayForPay } from './signature.ts'

const account = { merchantAccount: 'shop', secretKey: 'key', domain: 'shop.example' }
const asked: { text: string; fields: Record<string, unknown> }[] = []
let reply = '{}'
const http: AcquirerHttp = {
  ask: async ({ url, body }) => {
    expect(url).toBe('https://api.wayforpay.com/api')
    asked.push({ text: String(body), fields: JSON.parse(String(body)) as Record<string, unknown> })
    return { status: 200, headers: {}, body: Buffer.from(reply) }
  },
}
const NOW = 1_795_000_000_500
const settings: WayForPaySettings = {
  name: 'w4p',
  ...account,
  apiUrl: 'https://api.wayforpay.com',
  payUrl: 'https://secure.wayforpay.com/',
  page: 'form',
  capabilities: WAYFORPAY_LIMITS,
  http,
  now: () => NOW,
}
const order: PaymentOrder = {
  reference: 'o1',
  ticker: 'UAH',
  units: 10_050n,
  description: 'Line one\r\n  line "two"',
  callbackUrl: 'https://a.example/cb',
  returnUrl: 'https://a.example/back',
  email: 'a@b.example',
  language: 'uk',
  expiresAt: NOW + 3_600_000,
}
const PURCHASE = ['shop', 'shop.example', 'o1', '1795000000', '100.5', 'UAH', 'Line one line "two"', '1', '100.5']

describe('the page', () => {
  test('is a form with lists, signed, its text on one line as a browser posts it', async () => {
    expect(await createWayForPay(settings).createPayment(order)).toEqual({
      method: 'POST',
      url: 'https://secure.wayforpay.com/pay',
      acquirerReference: 'o1',
      fields: {
        merchantAccount: 'shop',
        merchantAuthType: 'SimpleSignature',
        merchantDomainName: 'shop.example',
        merchantTransactionType: 'SALE',
        merchantTransactionSecureType: 'AUTO',
        merchantSignature: signWayForPay('key', PURCHASE),
        apiVersion: '1',
        language: 'UA',
        returnUrl: 'https://a.example/back',
        serviceUrl: 'https://a.example/cb',
        orderReference: 'o1',
        orderDate: '1795000000',
        amount: '100.5',
        currency: 'UAH',
        orderTimeout: '3600',
        orderLifetime: '3600',
        clientEmail: 'a@b.example',
        'productName[]': 'Line one line "two"',
        'productPrice[]': '100.5',
        'productCount[]': '1',
      },
    })
    expect(asked).toEqual([])
  })

  test('is a link of an invoice, requested with numbers', async () => {
    reply = '{"reason":"Ok","reasonCode":1100,"invoiceUrl":"https://secure.wayforpay.com/invoice/i1"}'
    expect(await createWayForPay({ ...settings, page: 'invoice' }).createPayment(order)).toMatchObject({
      method: 'GET',
      url: 'https://secure.wayforpay.com/invoice/i1',
    })
    const { text, fields } = asked.at(-1)!
    expect(fields).toMatchObject({
      transactionType: 'CREATE_INVOICE',
      apiVersion: 1,
      productName: ['Line one line "two"'],
      productCount: [1],
      merchantSignature: signWayForPay('key', PURCHASE),
    })
    expect(text).toContain('"amount":100.5,')
    expect(text).toContain('"productPrice":[100.5]')
    // An invoice's link may be mailed: the payer is to have it from us or not at all.
    expect(text).not.toContain('a@b.example')
  })

  test.each(['1112', '1113', '1130', '1118'])('is refused with code %s: no link, no payment', async (code) => {
    reply = `{"reason":"No","reasonCode":${code}}`
    await expect(createWayForPay({ ...settings, page: 'invoice' }).createPayment(order)).rejects.toMatchObject({
      name: 'AcquirerRefusal',
      code,
    })
  })

  test('an answer without a valid link counts as no answer', async () => {
    for (reply of ['{"reasonCode":1100}', '{"reasonCode":1100,"invoiceUrl":"x"}', '{}']) {
      await expect(createWayForPay({ ...settings, page: 'invoice' }).createPayment(order)).rejects.toMatchObject({
        name: 'AcquirerUnreachable',
        sent: true,
      })
    }
  })
})

describe('a payout', () => {
  const payout = {
    reference: 'p1',
    ticker: 'UAH' as const,
    units: 10_050n,
    card: '4242424242424242',
    description: 'd',
    callbackUrl: 'https://a.example/x',
  }
  const answer = (text: string) => {
    reply = text
    return createWayForPay(settings).payOut(payout)
  }
  const record = (changes: object) => ({
    merchantAccount: 'shop',
    orderReference: 'p1',
    amount: 100.5,
    currency: 'UAH',
    authCode: '',
    cardPan: '',
    transactionStatus: 'Approved',
    reason: 'Ok',
    reasonCode: 1100,
    fee: 1,
    ...changes,
  })

  test('is P2P_CREDIT without a token, whose place stays in the signature', async () => {
    await answer('{}')
    expect(asked.at(-1)!.fields).toEqual({
      transactionType: 'P2P_CREDIT',
      merchantAccount: 'shop',
      merchantAuthType: 'SimpleSignature',
      orderReference: 'p1',
      amount: 100.5,
      currency: 'UAH',
      cardBeneficiary: payout.card,
      serviceUrl: payout.callbackUrl,
      merchantSignature: signWayForPay('key', ['shop', 'p1', '100.5', 'UAH', payout.card, '']),
      apiVersion: 1,
    })
  })

  test('approved and signed is sent', async () => {
    expect(await answer(signed(account, record({})))).toMatchObject({
      kind: 'succeeded',
      units: 10_050n,
      feeUnits: 100n,
    })
  })

  test.each([
    ['unsigned success', JSON.stringify(record({}))],
    ['unsigned refusal', JSON.stringify(record({ transactionStatus: 'Declined', reasonCode: 1101 }))],
    ["another order's", signed(account, record({ orderReference: 'p2' }))],
    ["another account's", signed(account, record({ merchantAccount: 'else' }))],
    ['a repeated order', '{"reason":"Duplicate Order ID","reasonCode":1112}'],
    ['a repeated order, signed', signed(account, record({ transactionStatus: 'Declined', reasonCode: 1112 }))],
    ['order not found', '{"reasonCode":1127}'],
    ['nothing', '{}'],
    ['an unknown code', '{"reasonCode":1199}'],
    [
      "a refusal with another's signature",
      signed({ ...account, secretKey: 'else' }, record({ transactionStatus: 'Declined', reasonCode: 1101 })),
    ],
  ])('%s leaves it unknown', async (_what, text) => {
    expect((await answer(text)).kind).toBe('unknown')
  })

  test.each([
    [1113, true],
    [1109, undefined],
    [1136, true],
  ])('an unsigned error of the request, code %i, refuses it', async (code, elsewhere) => {
    const state = await answer(`{"reason":"no ${payout.card}","reasonCode":${code}}`)
    expect(state).toMatchObject({ kind: 'refused', code: String(code), message: 'no 424242******4242' })
    expect(state.kind === 'refused' && state.elsewhere).toBe(elsewhere)
  })

  test('a signed refusal refuses it', async () => {
    expect(await answer(signed(account, record({ transactionStatus: 'Declined', reasonCode: 1101 })))).toMatchObject({
      kind: 'refused',
      code: '1101',
    })
  })
})

describe('callbacks', () => {
  test('are answered with the signed accept', () => {
    const body = Buffer.from(
      signed(account, {
        merchantAccount: 'shop',
        orderReference: 'o1',
        amount: 1,
        currency: 'UAH',
        authCode: null,
        cardPan: '',
        transactionStatus: 'Pending',
        reasonCode: 1134,
      }),
    )
    const { ack, state, reference } = createWayForPay(settings).readCallback({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      url: '/',
      body,
    })
    expect([reference, state.kind, ack.status, ack.contentType]).toEqual(['o1', 'waiting', 200, 'application/json'])
    expect(JSON.parse(ack.body)).toEqual({
      orderReference: 'o1',
      status: 'accept',
      time: 1_795_000_000,
      signature: signWayForPay('key', ['o1', 'accept', '1795000000']),
    })
  })
})

test.each([1113, 1117, 1121])('code %i in answer to a query of a payment concerns the account', async (code) => {
  reply = `{"reasonCode":${code}}`
  await expect(createWayForPay(settings).paymentState('o1')).rejects.toThrow(`w4p: it refuses to answer: ${code}`)
})

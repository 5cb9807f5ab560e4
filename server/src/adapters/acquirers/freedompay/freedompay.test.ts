import { describe, expect, test } from 'vitest'
import { almatyTime } from '../../../../../sandbox/acquirers/freedompay/dialect.ts'
import type { AcquirerHttp } from '../http.ts'
import { AcquirerRefusal, ForgedCallback, type PaymentOrder } from '../port.ts'
import { createFreedomPay, type FreedomPaySettings } from './index.ts'
import { FREEDOMPAY_LIMITS } from './settings.ts'
import { isFreedomPaySignature, scriptOf, signFreedomPay } from './signature.ts'
import { writeFreedomPayXml } from './xml.ts'

const [KEY, PAYOUT_KEY] = ['key-in', 'key-out']
const asked: { url: string; fields: Record<string, string> }[] = []
let reply: (script: string, key: string) => string = () => ''
const keyOf = (url: string) => (url.includes('/g2g/') ? PAYOUT_KEY : KEY)
const http: AcquirerHttp = {
  ask: async ({ url, body }) => {
    const fields = Object.fromEntries(new URLSearchParams(String(body)))
    expect(isFreedomPaySignature(scriptOf(url), fields, keyOf(url))).toBe(true)
    asked.push({ url, fields })
    return { status: 200, headers: {}, body: Buffer.from(reply(scriptOf(url), keyOf(url))) }
  },
}
const answers =
  (fields: Record<string, string>) =>
  (script: string, key: string): string => {
    const salted = { ...fields, pg_salt: 's' }
    return writeFreedomPayXml({ ...salted, pg_sig: signFreedomPay(script, salted, key) })
  }
const NOW = Date.UTC(2026, 10, 21, 12, 0, 0)
const settings: FreedomPaySettings = {
  name: 'kz',
  merchantId: '500042',
  secretKey: KEY,
  payoutSecretKey: PAYOUT_KEY,
  url: 'https://api.freedompay.kz/',
  testing: false,
  spacingMs: 0,
  capabilities: FREEDOMPAY_LIMITS,
  http,
  now: () => NOW,
}
const freedom = createFreedomPay(settings)
const order: PaymentOrder = {
  reference: '0197aa12-0000-7000-8000-000000000001',
  ticker: 'KZT',
  units: 1_200_050n,
  description: ' Тапсырыс 7 ',
  callbackUrl: 'https://a.example/acquirers/kz/callback',
  returnUrl: 'https://a.example/back',
  email: undefined,
  language: 'uk',
  expiresAt: NOW + 3_600_000,
}

test('audit F-4: a refused payment is no end while the order has a newer one', async () => {
  const [one, two] = [
    {
      pg_status: 'ok',
      pg_payment_id: '77',
      pg_payment_status: 'failed',
      pg_amount: '12000.50',
      pg_failure_code: '465',
    },
    { pg_status: 'ok', pg_payment_id: '78', pg_payment_status: 'success', pg_amount: '12000.50', pg_captured: '1' },
  ]
  const newest = async (fields: Record<string, string>) => {
    reply = (script, key) => answers('pg_payment_id' in asked.at(-1)!.fields ? one : fields)(script, key)
    return freedom.paymentState(order.reference, '77')
  }
  expect(await newest(two)).toMatchObject({ kind: 'succeeded', acquirerReference: '78', units: 1_200_050n })
  expect(await newest({ ...two, pg_payment_status: 'pending' })).toMatchObject({ kind: 'waiting' })
  expect(await newest(one)).toMatchObject({ kind: 'refused', code: '465' })
})

describe('the page', () => {
  const page = {
    pg_status: 'ok',
    pg_payment_id: '77',
    pg_redirect_url: 'https://customer.freedompay.kz/pay?customer=1',
  }

  test('is a link; the money is taken at once', async () => {
    reply = answers(page)
    expect(await freedom.createPayment(order)).toEqual({
      method: 'GET',
      url: page.pg_redirect_url,
      fields: {},
      acquirerReference: '77',
    })
    const { url, fields } = asked.at(-1)!
    expect(url).toBe('https://api.freedompay.kz/init_payment.php')
    const { pg_salt: _salt, pg_sig: _sig, ...rest } = fields
    expect(rest).toEqual({
      pg_merchant_id: '500042',
      pg_order_id: order.reference,
      pg_amount: '12000.50',
      pg_currency: 'KZT',
      pg_description: 'Тапсырыс 7',
      pg_result_url: order.callbackUrl,
      pg_request_method: 'POST',
      pg_success_url: order.returnUrl,
      pg_success_url_method: 'GET',
      pg_failure_url: order.returnUrl,
      pg_failure_url_method: 'GET',
      pg_lifetime: '3600',
      pg_language: 'en',
      pg_testing_mode: '0',
      pg_auto_clearing: '1',
      pg_idempotency_key: order.reference,
    })
  })

  test.each([
    [NOW + 1_000, '300'],
    [NOW - 5_000, '300'],
    [NOW + 30 * 86_400_000, '604800'],
    [NOW + 300_001, '301'],
  ])('expires at %i: lifetime %s', async (expiresAt, lifetime) => {
    reply = answers(page)
    await freedom.createPayment({ ...order, expiresAt })
    expect(asked.at(-1)!.fields['pg_lifetime']).toBe(lifetime)
  })

  test('salts are never the same', async () => {
    reply = answers(page)
    for (let i = 0; i < 5; i += 1) await freedom.createPayment(order)
    expect(new Set(asked.slice(-5).map(({ fields }) => fields['pg_salt'])).size).toBe(5)
  })

  test('an order id of 50 characters fits, one of 51 does not, nor an address of 256', async () => {
    reply = answers(page)
    await freedom.createPayment({ ...order, reference: 'x'.repeat(50) })
    const before = asked.length
    await expect(freedom.createPayment({ ...order, reference: 'x'.repeat(51) })).rejects.toBeInstanceOf(AcquirerRefusal)
    await expect(
      freedom.createPayment({ ...order, callbackUrl: `https://a.example/${'x'.repeat(250)}` }),
    ).rejects.toBeInstanceOf(AcquirerRefusal)
    expect(asked.length).toBe(before)
  })

  test.each([
    ['signed error', answers({ pg_status: 'error', pg_error_code: '9403', pg_error_description: 'pg_amount' }), '9403'],
    [
      'merchant not known, unsigned',
      () => '<response><pg_status>error</pg_status><pg_error_code>9998</pg_error_code></response>',
      '9998',
    ],
  ])('%s refuses', async (_what, made, code) => {
    reply = made
    await expect(freedom.createPayment(order)).rejects.toMatchObject({ code })
  })

  test.each([
    ['unsigned', () => writeFreedomPayXml(page)],
    ['signed by another', (script: string) => answers(page)(script, 'else')],
    ['signed for another script', (_script: string, key: string) => answers(page)('payment.php', key)],
    ['its own failure', answers({ pg_status: 'error', pg_error_code: '9999' })],
    ['no XML', () => '<html>'],
    ['no link', answers({ pg_status: 'ok', pg_payment_id: '77' })],
    [
      'an unsigned refusal',
      () => '<response><pg_status>error</pg_status><pg_error_code>9403</pg_error_code></response>',
    ],
  ])('%s is no answer', async (_what, made) => {
    reply = made
    await expect(freedom.createPayment(order)).rejects.toMatchObject({ name: 'AcquirerUnreachable', sent: true })
  })
})

describe('the status of a payment', () => {
  const paid = {
    pg_status: 'ok',
    pg_payment_id: '77',
    pg_payment_status: 'success',
    pg_amount: '12000.50',
    pg_currency: 'KZT',
    pg_captured: '1',
    pg_card_pan: '5483-18XX-XXXX-0293',
  }
  const state = (changes: Record<string, string>) => {
    reply = answers({ ...paid, ...changes })
    return freedom.paymentState('o1')
  }

  test('success is paid', async () => {
    expect(await state({ pg_net_amount: '11760.49' })).toEqual({
      kind: 'succeeded',
      acquirerReference: '77',
      ticker: 'KZT',
      units: 1_200_050n,
      feeUnits: 24_001n,
      maskedCard: '548318******0293',
      backUnits: 0n,
    })
    expect(asked.at(-1)).toMatchObject({
      url: 'https://api.freedompay.kz/get_status3.php',
      fields: { pg_order_id: 'o1' },
    })
    expect(await state({})).toMatchObject({ feeUnits: undefined })
  })

  test.each([
    ['held', { pg_captured: '0' }, 'waiting'],
    ['new', { pg_payment_status: 'new' }, 'waiting'],
    ['pending', { pg_payment_status: 'pending' }, 'waiting'],
    ['process', { pg_payment_status: 'process' }, 'waiting'],
    ['partial', { pg_payment_status: 'partial' }, 'waiting'],
    ['incomplete', { pg_payment_status: 'incomplete' }, 'waiting'],
    ['failed', { pg_payment_status: 'failed' }, 'refused'],
    ['error', { pg_payment_status: 'error' }, 'refused'],
    ['revoked', { pg_payment_status: 'revoked' }, 'reversed'],
    ['refunded', { pg_payment_status: 'refunded' }, 'reversed'],
    ['given back in whole', { pg_refund_amount: '-12000.50' }, 'reversed'],
    ['given back in part, without decimals (row A-9)', { pg_refund_amount: '-2000' }, 'succeeded'],
    ['given back, and the sum is not understood', { pg_refund_amount: '-2000.005' }, 'unknown'],
    ['another currency', { pg_currency: 'USD' }, 'unknown'],
    ['no amount', { pg_amount: '' }, 'unknown'],
    ['a new word', { pg_payment_status: 'ok' }, 'unknown'],
    ['payment 0, which is none', { pg_payment_id: '0' }, 'unknown'],
    ['not found', { pg_status: 'error', pg_error_code: '340' }, 'unknown'],
    ['its own failure', { pg_status: 'error', pg_error_code: '9999' }, 'unknown'],
  ] as const)('%s', async (_what, changes, kind) => {
    expect((await state(changes)).kind).toBe(kind)
  })

  test('requests for the same payment at the same time are one request', async () => {
    reply = answers(paid)
    const before = asked.length
    const states = await Promise.all([
      freedom.paymentState('o9'),
      freedom.paymentState('o9'),
      freedom.paymentState('o9'),
      freedom.paymentState('o8'),
    ])
    expect(states.map(({ kind }) => kind)).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded'])
    expect(asked.slice(before).map(({ fields }) => fields['pg_order_id'])).toEqual(['o9', 'o8'])
    await freedom.paymentState('o9')
    expect(asked.length).toBe(before + 3)
  })

  test('an unsigned answer is unknown, and a refusal of the shop is an error (row A-8)', async () => {
    reply = () => writeFreedomPayXml(paid)
    expect((await freedom.paymentState('o1')).kind).toBe('unknown')
    reply = () => '<response><pg_status>error</pg_status><pg_error_code>9998</pg_error_code></response>'
    await expect(freedom.paymentState('o1')).rejects.toThrow('kz: it refuses to answer: 9998')
  })
})

describe('a payout', () => {
  const payout = {
    reference: 'p1',
    ticker: 'KZT' as const,
    units: 1_450_000n,
    card: '4242424242424242',
    description: 'd',
    callbackUrl: 'https://a.example/callback',
  }
  const answer = (fields: Record<string, string>) => {
    reply = answers(fields)
    return freedom.payOut(payout)
  }

  test('is signed with the key for payouts', async () => {
    await answer({ pg_status: 'ok', pg_payment_id: '9' })
    expect(asked.at(-1)).toMatchObject({
      url: 'https://api.freedompay.kz/g2g/p2p2nonreg',
      fields: {
        pg_order_id: 'p1',
        pg_amount: '14500.00',
        pg_payment_to: payout.card,
        pg_post_link: payout.callbackUrl,
      },
    })
  })

  test.each([
    ['ok', { pg_status: 'ok' }, 'waiting'],
    ['process', { pg_status: 'process' }, 'waiting'],
    ['ok with status success', { pg_status: 'ok', pg_payment_status: 'success' }, 'waiting'],
    ['validation, which a repeated order may be', { pg_status: 'error', pg_error_code: '9403' }, 'unknown'],
    ['its own failure', { pg_status: 'error', pg_error_code: '9999' }, 'unknown'],
    ['an unknown code', { pg_status: 'error', pg_error_code: '12345' }, 'unknown'],
    ['no code', { pg_status: 'error' }, 'unknown'],
    ['card data', { pg_status: 'error', pg_error_code: '10005' }, 'unknown'],
    ['limit', { pg_status: 'error', pg_error_code: '420' }, 'unknown'],
    ['the shop has no contract', { pg_status: 'error', pg_error_code: '9996' }, 'refused'],
  ] as const)('answered with %s', async (_what, fields, kind) => {
    expect((await answer(fields)).kind).toBe(kind)
  })

  // Orders that took effect were answered with 120 and 100, and 9992 is an unexpected error
  // (github.com/vevovip/chaospay, docs/ex1001.md, docs/errors-playbook.md).
  test.each([
    '100',
    '120',
    '350',
    '420',
    '490',
    '8888',
    '9991',
    '9992',
    '9993',
    '9994',
    '9995',
    '10001',
    '10006',
    '10007',
  ])('audit D-B4: error %s is no proof that nothing was sent (rows A-6 and A-7)', async (pg_error_code) => {
    expect(await answer({ pg_status: 'error', pg_error_code, pg_error_description: 'd' })).toEqual({
      kind: 'unknown',
      reason: `code ${pg_error_code}`,
    })
  })

  test('an unsigned answer refuses it only where Freedom Pay has no key to sign with', async () => {
    const unsigned = (code: string) => {
      reply = () => `<response><pg_status>error</pg_status><pg_error_code>${code}</pg_error_code></response>`
      return freedom.payOut(payout)
    }
    expect(await unsigned('9998')).toMatchObject({ kind: 'refused', code: '9998', elsewhere: true })
    for (const code of ['10005', '420', '9403', '350', '100', '9996'])
      expect((await unsigned(code)).kind).toBe('unknown')
  })

  test.each([
    ['success', 'succeeded'],
    ['process', 'waiting'],
    ['error', 'refused'],
    ['revoked', 'reversed'],
    ['paid', 'unknown'],
    ['', 'unknown'],
  ])('status %j is %s (row A-12)', async (pg_payment_status, kind) => {
    reply = answers({ pg_status: 'ok', pg_payment_id: '9', pg_payment_status, pg_payment_amount: '14500.00' })
    expect((await freedom.payoutState('p1')).kind).toBe(kind)
    expect(asked.at(-1)).toMatchObject({
      url: 'https://api.freedompay.kz/g2g/payout_status2',
      fields: { pg_order_id: 'p1' },
    })
  })

  test('of a shop without a key for payouts is not made, and an empty key signs nothing', async () => {
    const without = createFreedomPay({ ...settings, payoutSecretKey: undefined })
    expect(await without.payOut(payout)).toMatchObject({ kind: 'refused', elsewhere: true })
    expect((await without.payoutState('p1')).kind).toBe('unknown')
    const fields = { pg_status: 'ok', pg_order_id: 'p1', pg_payment_id: '9', pg_salt: 's' }
    const body = Buffer.from(
      new URLSearchParams({ ...fields, pg_sig: signFreedomPay('callback', fields, '') }).toString(),
    )
    expect(() => without.readCallback({ headers: {}, url: '/callback', body })).toThrow(ForgedCallback)
  })
})

test('the emulator writes times of Almaty', () => {
  expect(almatyTime(Date.UTC(2026, 11, 31, 19, 0, 1))).toBe('2027-01-01 00:00:01')
})

/** Callbacks of Freedom Pay: which are accepted, their contents, and their answers. */
import { describe, expect, test } from 'vitest'
import { isSignedAnswer } from '../../../../../sandbox/acquirers/freedompay/dialect.ts'
import { ForgedCallback } from '../port.ts'
import { createFreedomPay } from './index.ts'
import { FREEDOMPAY_LIMITS } from './settings.ts'
import { signFreedomPay } from './signature.ts'
import { readFreedomPayXml, writeFreedomPayXml } from './xml.ts'

const [KEY, PAYOUT_KEY] = ['key-in', 'key-out']
const freedom = createFreedomPay({
  name: 'kz',
  merchantId: '500042',
  secretKey: KEY,
  payoutSecretKey: PAYOUT_KEY,
  url: 'https://api.freedompay.kz/',
  testing: false,
  spacingMs: 0,
  capabilities: FREEDOMPAY_LIMITS,
  http: { ask: () => Promise.reject(new Error('a callback asks nothing')) },
  now: () => 0,
})

describe('calls back', () => {
  const call = (
    fields: Record<string, string>,
    { key = KEY, url = '/acquirers/kz/callback?v=1', script = 'callback' } = {},
  ) => {
    const salted = { pg_order_id: 'o1', pg_payment_id: '77', pg_salt: 's', ...fields }
    return freedom.readCallback({
      headers: {},
      url,
      body: Buffer.from(new URLSearchParams({ ...salted, pg_sig: signFreedomPay(script, salted, key) }).toString()),
    })
  }
  const paid = { pg_result: '1', pg_amount: '25.00', pg_currency: 'KZT', pg_captured: '1', pg_can_reject: '1' }

  test.each([
    ['paid', paid, { kind: 'succeeded', units: 2_500n }],
    ['held', { ...paid, pg_captured: '0' }, { kind: 'waiting' }],
    ['failed', { ...paid, pg_result: '0', pg_failure_code: '465' }, { kind: 'refused', code: '465' }],
    [
      'given back, which is a refund and no payment of its amount (row A-1)',
      { ...paid, pg_amount: '-25.00' },
      { kind: 'unknown' },
    ],
    ['not ended', { ...paid, pg_result: '2' }, { kind: 'waiting' }],
    ['asked before (check_url)', { pg_amount: '25.00' }, { kind: 'waiting' }],
  ])('a payment %s', (_what, fields, state) => {
    expect(call(fields)).toMatchObject({ reference: 'o1', state })
  })

  test('are answered in XML that is signed with the script of our own address', () => {
    const { ack } = call(paid)
    expect([ack.status, ack.contentType]).toEqual([200, 'application/xml; charset=utf-8'])
    expect(readFreedomPayXml(ack.body)).toMatchObject({ pg_status: 'ok', pg_description: '' })
    expect(isSignedAnswer('https://a.example/acquirers/kz/callback?v=1', ack.body, KEY)).toBe(true)
    expect(isSignedAnswer('https://a.example/acquirers/kz/else', ack.body, KEY)).toBe(false)
  })

  test.each([
    ['USD', '1', '1', 'rejected'],
    ['USD', '0', '1', 'ok'],
    ['USD', '1', '0', 'ok'],
    ['KZT', '1', '1', 'ok'],
  ])('currency %s, can reject %s, result %s: %s', (pg_currency, pg_can_reject, pg_result, status) => {
    expect(readFreedomPayXml(call({ ...paid, pg_currency, pg_can_reject, pg_result }).ack.body)['pg_status']).toBe(
      status,
    )
  })

  test('of a payout are signed and answered with the key for payouts', () => {
    const { state, ack } = call({ pg_status: 'ok', pg_payment_amount: '14500.00' }, { key: PAYOUT_KEY })
    expect(state).toMatchObject({ kind: 'succeeded', units: 1_450_000n })
    expect(isSignedAnswer('/callback', ack.body, PAYOUT_KEY)).toBe(true)
    expect(call({ pg_status: 'process' }, { key: PAYOUT_KEY }).state.kind).toBe('waiting')
    expect(call({ pg_status: 'error', pg_error_code: '465' }, { key: PAYOUT_KEY }).state.kind).toBe('refused')
  })

  test('the key for payments does not read a callback of a payout, nor the other way round', () => {
    expect(call({ pg_status: 'ok', pg_payment_amount: '14500.00' }).state.kind).toBe('waiting')
    expect(call(paid, { key: PAYOUT_KEY }).state.kind).toBe('unknown')
  })

  test('XML in a field is read too', () => {
    const salted = { pg_order_id: 'o1', pg_payment_id: '77', pg_salt: 's', ...paid }
    const xml = writeFreedomPayXml({ ...salted, pg_sig: signFreedomPay('callback', salted, KEY) })
    const body = Buffer.from(new URLSearchParams({ pg_xml: xml }).toString())
    expect(freedom.readCallback({ headers: {}, url: '/callback', body })).toMatchObject({
      reference: 'o1',
      state: { kind: 'succeeded' },
    })
  })

  test("a field that appears twice, another shop's, or signed for another script is not ours", () => {
    const salted = { pg_order_id: 'o1', pg_payment_id: '77', pg_salt: 's', ...paid }
    const body = `${new URLSearchParams({ ...salted, pg_sig: signFreedomPay('callback', salted, KEY) })}&pg_order_id=o1`
    expect(() => freedom.readCallback({ headers: {}, url: '/callback', body: Buffer.from(body) })).toThrow(
      ForgedCallback,
    )
    expect(() => call({ ...paid, pg_merchant_id: '1' })).toThrow(ForgedCallback)
    expect(() => call(paid, { script: 'else' })).toThrow(ForgedCallback)
  })
})

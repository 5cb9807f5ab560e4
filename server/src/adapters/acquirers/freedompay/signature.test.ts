import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sign } from '../../../../../sandbox/acquirers/freedompay/signature.ts'
import type { Fields } from '../../../../../sandbox/acquirers/freedompay/signature.ts'
import { isFreedomPaySignature, scriptOf, signFreedomPay, type FreedomPayFields } from './signature.ts'

const PUBLISHED: FreedomPayFields = {
  pg_t_param: 'value3',
  pg_a_param: 'value1',
  pg_z_param: { pg_q_subparam: 'subvalue2', pg_m_subparam: 'subvalue1' },
  pg_b_param: 'value2',
  pg_salt: '9imM909TH820jwk387',
}
const CALLBACK: FreedomPayFields = {
  pg_order_id: 'order-1',
  pg_payment_id: '4567',
  pg_amount: '25.00',
  pg_currency: 'KZT',
  pg_result: '1',
  pg_captured: '1',
  pg_description: '',
  pg_salt: 'abc',
  pg_net_amount: '24.50',
  pg_card_pan: '5483-18XX-XXXX-0293',
  pg_can_reject: '1',
}
const NESTED: FreedomPayFields = {
  pg_status: 'ok',
  pg_payment_id: '123456789',
  pg_refund_payments: { pg_refund_payment: { pg_payment_id: '9', pg_amount: '-10' } },
  pg_salt: 's',
}

describe('signatures of Freedom Pay', () => {
  test.each([
    // PayBox's own example with fields within a field, and the gem's digest of it.
    [
      'published: pashagray/paybox_money, signature_spec',
      'script.php',
      PUBLISHED,
      'mypasskey',
      'a8a4d5a9188f24038a14a4d65c387bf7',
    ],
    [
      'computed, python hashlib: a call to result_url, an empty field among them',
      'callback',
      CALLBACK,
      'secret-1',
      'ebbdf5239a35a2c333027647e5acd404',
    ],
    [
      'computed, python hashlib: get_status3.php with refunds',
      'get_status3.php',
      NESTED,
      'secret-1',
      '700c1c527fa899004d4788cfc3eb1eb5',
    ],
    [
      'computed, python hashlib: our answer',
      'callback',
      { pg_status: 'ok', pg_description: '', pg_salt: 's' },
      'secret-1',
      '29c18e861c1b18d5440b40ee12b4a9a8',
    ],
  ])('%s', (_from, script, fields, secretKey, signature) => {
    expect(signFreedomPay(script, fields, secretKey)).toBe(signature)
    expect(sign(script, fields as Fields, secretKey), 'the emulator signs alike').toBe(signature)
    expect(isFreedomPaySignature(script, { ...fields, pg_sig: signature }, secretKey)).toBe(true)
    for (const pg_sig of [
      '',
      signature.toUpperCase(),
      signature.slice(1),
      `0${signature.slice(1)}`,
      { x: signature },
    ] as const) {
      expect(isFreedomPaySignature(script, { ...fields, pg_sig }, secretKey)).toBe(false)
    }
    expect(isFreedomPaySignature(script, fields, secretKey)).toBe(false)
    expect(isFreedomPaySignature(`${script}x`, { ...fields, pg_sig: signature }, secretKey)).toBe(false)
    expect(isFreedomPaySignature(script, { ...fields, pg_sig: signature }, `${secretKey}x`)).toBe(false)
  })

  test('fields of one name are taken in the order they came (row A-8)', () => {
    const fields = (...values: string[]): FreedomPayFields => ({ b: { one: values }, a: 'x' })
    expect(signFreedomPay('s', fields('2', '1'), 'k')).toBe(signFreedomPay('s', { a: 'x', b: '2', c: '1' }, 'k'))
    expect(signFreedomPay('s', fields('2', '1'), 'k')).not.toBe(signFreedomPay('s', fields('1', '2'), 'k'))
  })

  test('does not depend on the order of fields', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^pg_[a-z]{1,8}$/), fc.string()), (fields) => {
        const backwards = Object.fromEntries(Object.entries(fields).toReversed())
        expect(signFreedomPay('s', backwards, 'k')).toBe(signFreedomPay('s', fields, 'k'))
      }),
    )
  })

  test.each([
    ['https://api.freedompay.kz/init_payment.php', 'init_payment.php'],
    ['/g2g/p2p2nonreg', 'p2p2nonreg'],
    ['/acquirers/kz/callback?v=1&u=/a/b', 'callback'],
    ['/callback', 'callback'],
    ['/callback/', ''],
    ['https://shop.example/cb#x/y', 'cb'],
    ['https://shop.example/cb?x=1#y', 'cb'],
  ])('the script of %s is %j', (url, script) => {
    expect(scriptOf(url)).toBe(script)
  })
})

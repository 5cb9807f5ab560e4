import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LIQPAY_WAITING, readLiqPayState } from './state.ts'

const paid = {
  status: 'success',
  payment_id: '165189',
  order_id: 'o',
  amount: '100.37',
  currency: 'UAH',
  receiver_commission: '2.01',
  sender_commission: '0.0',
  sender_card_mask2: '414962*99',
}
const read = (changes: Record<string, unknown>, direction: 'payIn' | 'payout' = 'payIn', isSandbox = false) =>
  readLiqPayState({ ...paid, ...changes }, { direction, isSandbox })

/** Every status of liqpay.ua/en/doc/api/callback and .../information/status but the final ones. */
const NOT_FINAL =
  `3ds_verify otp_verify cvv_verify sender_verify receiver_verify phone_verify pin_verify ivr_verify captcha_verify password_verify senderapp_verify
  p24_verify mp_verify wait_qr wait_sender prepared processing wait_accept wait_secure wait_card wait_compensation wait_lc wait_reserve hold_wait cash_wait
  invoice_wait try_again`
    .trim()
    .split(/\s+/)

describe('the state of a payment as LiqPay reports it', () => {
  test('success is paid, with the amount digit by digit', () => {
    expect(read({})).toEqual({
      kind: 'succeeded',
      acquirerReference: '165189',
      ticker: 'UAH',
      units: 10_037n,
      feeUnits: 201n,
      maskedCard: '414962********99',
      backUnits: 0n,
    })
    expect(read({ amount: '100' })).toMatchObject({ units: 10_000n })
    expect(read({ amount: '100.00000' })).toMatchObject({ units: 10_000n })
    expect(read({ amount: '90071992547409.93' })).toMatchObject({ units: 9_007_199_254_740_993n })
  })

  test.each(NOT_FINAL)('%s is waited for', (status) => {
    expect(read({ status })).toEqual({ kind: 'waiting', reason: status })
    expect(LIQPAY_WAITING.has(status)).toBe(true)
  })

  test('the table has nothing else', () => {
    expect([...LIQPAY_WAITING].sort()).toEqual([...NOT_FINAL].sort())
  })

  test.each(['failure', 'error'])('%s refuses, with its code', (status) => {
    expect(read({ status, err_code: '9859', err_description: 'card 4242424242424242 has no money' })).toEqual({
      kind: 'refused',
      acquirerReference: '165189',
      code: '9859',
      message: 'card 424242******4242 has no money',
      maskedCard: '414962********99',
    })
    expect(read({ status, payment_id: undefined, err_code: 'payment_not_found' })).toEqual({
      kind: 'unknown',
      reason: 'payment_not_found',
    })
  })

  test('reversed is reversed; a part of it is not', () => {
    expect(read({ status: 'reversed' })).toMatchObject({ kind: 'reversed', units: 10_037n })
    expect(read({ status: 'reversed', refund_amount: '100.37' })).toMatchObject({ kind: 'reversed' })
    expect(read({ status: 'reversed', refund_amount: '40.0' })).toMatchObject({ kind: 'succeeded' })
    expect(read({ refund_amount: '40.0' })).toMatchObject({ kind: 'succeeded' })
    expect(read({ refund_amount: null })).toMatchObject({ kind: 'succeeded', backUnits: 0n })
    for (const refund_amount of ['40.005', '-40', '4e1']) expect(read({ refund_amount }).kind).toBe('unknown')
    expect(read({ refund_amount: '100.37' })).toMatchObject({ kind: 'reversed' })
  })

  test.each([
    ['another currency', { currency: 'USD' }],
    ['no currency', { currency: undefined }],
    ['no amount', { amount: undefined }],
    ['a finer amount', { amount: '100.371' }],
    ['a negative amount', { amount: '-1' }],
    ['an exponent', { amount: '1e2' }],
    ['no number of its own', { payment_id: undefined }],
    ['no status', { status: undefined }],
    ['subscribed', { status: 'subscribed' }],
    ['unsubscribed', { status: 'unsubscribed' }],
    ['sandbox outside of it', { status: 'sandbox' }],
    ['a number', { status: 1 }],
  ])('%s is not understood', (_what, changes) => {
    expect(read(changes).kind).toBe('unknown')
  })

  test('sandbox is paid in the sandbox', () => {
    expect(read({ status: 'sandbox' }, 'payIn', true)).toMatchObject({ kind: 'succeeded', units: 10_037n })
  })

  test("the commission is the receiver's of a payment and the sender's of a payout; a finer one is not stated", () => {
    const both = { receiver_commission: '2.01', sender_commission: '1.5', receiver_card_mask2: '473118*97' }
    expect(read(both)).toMatchObject({ feeUnits: 201n })
    expect(read(both, 'payout')).toMatchObject({ feeUnits: 150n, maskedCard: '473118********97' })
    expect(read({ receiver_commission: '2.755' })).toMatchObject({ kind: 'succeeded', feeUnits: undefined })
  })

  test('no other word is ever money', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom(' success', 'SUCCESS', 'success\n', 'successful', 'ok', 'paid')),
        (status) => {
          fc.pre(status !== 'success' && status !== 'reversed')
          expect(['succeeded', 'reversed']).not.toContain(read({ status }).kind)
        },
      ),
    )
  })
})

/** Callbacks of the bank: HMAC-SHA256 over `callback`, the time and the body (sandbox/bank/README.md). */
import { describe, expect, test } from 'vitest'
import { signCallback } from '../../../../../sandbox/bank/signature.ts'
import { ForgedCallback, type RawCallback } from '../port.ts'
import { createBank } from './index.ts'

const SECRET = 'the secret of the account'
const AT = '1767225600000'
const ID = 'ab'.repeat(16)
const BODY = JSON.stringify({
  id: 'e1',
  event: 'payment.updated',
  object: { reference: 'r1', id: ID, currency: 'UAH', amount: '100.00', status: 'succeeded', paidAmount: '100.00' },
})

const bank = createBank({
  name: 'bank',
  url: 'http://127.0.0.1:1',
  account: 'shop',
  secret: SECRET,
  capabilities: { payIn: {}, payout: {} },
  http: { ask: () => Promise.reject(new Error('a callback asks nothing')) },
})

const callback = (body: string, headers: Record<string, string> = {}): RawCallback => ({
  url: '/callbacks/bank',
  headers: {
    'x-bank-account': 'shop',
    'x-bank-timestamp': AT,
    'x-bank-signature': signCallback(SECRET, AT, BODY),
    ...headers,
  },
  body: Buffer.from(body),
})

describe('a callback of the bank', () => {
  test('is read when the bank has signed it', () => {
    expect(bank.readCallback(callback(BODY)).reference).toBe('r1')
  })

  test.each<[string, RawCallback]>([
    ['of another reference', callback(BODY.replace('r1', 'r2'))],
    ['of another time', callback(BODY, { 'x-bank-timestamp': '1767225600001' })],
    ['of another account', callback(BODY, { 'x-bank-account': 'other' })],
    ['without a signature', callback(BODY, { 'x-bank-signature': '' })],
    ['signed by another secret', callback(BODY, { 'x-bank-signature': signCallback('other', AT, BODY) })],
  ])('is forged when it is %s', (_, given) => {
    expect(() => bank.readCallback(given)).toThrow(ForgedCallback)
  })
})

import { createHmac } from 'node:crypto'
import { notifications } from '@bursar/contract'
import { signatureVectors } from '@bursar/contract/vectors'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { verifyWebhook, WebhookError } from './index.ts'
import type { Notification, Replenish, VerifyWebhook } from './index.ts'

const vector = signatureVectors.find(({ form }) => form === 'notification')!
const seconds = Number(vector.timestamp)
const clock = (shift: number) => () => (seconds + shift) * 1_000 + 999

const received = (change: Partial<VerifyWebhook> = {}): VerifyWebhook =>
  ({
    headers: { signature: vector.signature, timestamp: vector.timestamp },
    rawBody: vector.body,
    url: `https://${vector.target}`,
    privateKeys: vector.key,
    now: clock(0),
    ...change,
  }) as VerifyWebhook

/** The code a notification is refused with, or undefined when it is accepted. */
const refusal = (change: Partial<VerifyWebhook>): number | undefined => {
  try {
    verifyWebhook(received(change))
    return undefined
  } catch (error) {
    if (error instanceof WebhookError) return error.code
    throw error
  }
}

const signed = (host: string, path: string, body: string) => ({
  signature: createHmac('sha256', vector.key).update(`POST${host}${path}${body}${vector.timestamp}`).digest('hex'),
  timestamp: vector.timestamp,
})

describe('accepts', () => {
  test('the vector of contract.md, and answers its body', () => {
    expect(verifyWebhook(received())).toEqual(JSON.parse(vector.body))
  })

  test.each<[string, Partial<VerifyWebhook>]>([
    ['bytes for the body', { rawBody: Buffer.from(vector.body) }],
    ['headers in any case', { headers: { SIGNATURE: vector.signature, Timestamp: vector.timestamp } }],
    ['headers as lists of one', { headers: { signature: [vector.signature], timestamp: [vector.timestamp] } }],
    ['a Headers object', { headers: new Headers({ signature: vector.signature, timestamp: vector.timestamp }) }],
    ['the first of two keys', { privateKeys: [vector.key, 'new'] }],
    ['the second of two keys', { privateKeys: ['new', vector.key] }],
    ['an age of 5 seconds', { now: clock(5) }],
    ['a clock that is 5 seconds behind', { now: clock(-5) }],
    ['more age when told so', { now: clock(60), toleranceMs: 60_000 }],
  ])('%s', (_, change) => {
    expect(verifyWebhook(received(change))).toMatchObject({ kind: 'Replenish' })
  })

  test('host and path in place of the url', () => {
    const { headers, rawBody, privateKeys, now } = received() as VerifyWebhook & { now: () => number }
    const address = { host: 'domain.com', path: '/webhooks/0xpay' }
    expect(verifyWebhook({ headers, rawBody, privateKeys, now, ...address })).toMatchObject({ kind: 'Replenish' })
  })

  test.each([
    ['https://shop.example:8443/hooks?shop=1', 'shop.example:8443', '/hooks?shop=1'],
    ['https://shop.example:443/hooks', 'shop.example', '/hooks'],
    ['http://shop.example', 'shop.example', '/'],
  ])('the url %s as %s and %s', (url, host, path) => {
    expect(refusal({ url, headers: signed(host, path, vector.body) })).toBeUndefined()
  })

  test('the example of every notification', () => {
    for (const { statuses } of notifications) {
      for (const schema of Object.values(statuses)) {
        const [example] = (schema as unknown as { examples: [object] }).examples
        const rawBody = JSON.stringify(example)
        const headers = signed('shop.example', '/', rawBody)
        expect(verifyWebhook(received({ url: 'https://shop.example', rawBody, headers }))).toEqual(example)
      }
    }
  })
})

describe('refuses', () => {
  const { signature, timestamp } = { signature: vector.signature, timestamp: vector.timestamp }

  test.each<[number, string, Partial<VerifyWebhook>]>([
    [-2, 'an age of 6 seconds', { now: clock(6) }],
    [-3, 'a clock that is 6 seconds behind', { now: clock(-6) }],
    [-2, 'any age when no tolerance is given to it', { now: clock(1), toleranceMs: 0 }],
    [-1, 'another key', { privateKeys: 'other' }],
    [-1, 'another body', { rawBody: `${vector.body} ` }],
    [-1, 'another path', { url: 'https://domain.com/webhooks/0xpay/' }],
    [-1, 'another host', { url: 'https://domain.org/webhooks/0xpay' }],
    [-1, 'a signature with another last digit', { headers: { signature: signature.replace(/.$/, '0'), timestamp } }],
    [-1, 'a signature in upper case', { headers: { signature: signature.toUpperCase(), timestamp } }],
    [-1, 'half a signature', { headers: { signature: signature.slice(0, 32), timestamp } }],
    [-1, 'an empty signature', { headers: { signature: '', timestamp } }],
    [-1, 'no signature', { headers: { timestamp } }],
    [-1, 'no timestamp', { headers: { signature } }],
    [-1, 'two signatures', { headers: { signature: [signature, signature], timestamp } }],
    [-1, 'two signatures by case', { headers: { signature, SIGNATURE: signature, timestamp } }],
    [-1, 'a timestamp in ms', { headers: { signature, timestamp: `${timestamp}000` } }],
    [-1, 'a timestamp with a sign', { headers: { signature, timestamp: `+${timestamp}` } }],
    [
      -1,
      'a digit moved from the timestamp to the body',
      {
        rawBody: vector.body + timestamp.slice(0, 1),
        headers: { signature, timestamp: timestamp.slice(1) },
      },
    ],
  ])('with %i %s', (code, _, change) => {
    expect(refusal(change)).toBe(code)
  })

  test('the timestamp before the signature, as the documented validator does', () => {
    expect(refusal({ now: clock(60), privateKeys: 'other' })).toBe(-2)
    expect(refusal({ now: clock(-60), privateKeys: 'other' })).toBe(-3)
  })

  test.each([[''], [[]], [['key', '']]])('to run with %j for keys', (privateKeys) => {
    expect(() => verifyWebhook(received({ privateKeys }))).toThrow(TypeError)
  })
})

test('kind and status narrow the type', () => {
  const describeIt = (notification: Notification): string => {
    switch (notification.kind) {
      case 'Replenish':
        expectTypeOf(notification).toEqualTypeOf<Replenish>()
        return notification.status === 'Failed' ? notification.failReason : notification.amount
      case 'Withdraw':
        return 'blockchain' in notification ? notification.blockchain : notification.cardNumber
      case 'CryptoInvoice':
        return notification.status === 'DONE' ? notification.fee : notification.paidAmount
      default:
        return notification.kind
    }
  }
  const example = (name: string, status: string) => {
    const { statuses } = notifications.find((each) => each.name === name)!
    return (statuses[status] as unknown as { examples: [Notification] }).examples[0]
  }
  expect(describeIt(example('replenish', 'Failed'))).toBe('LESS_THEN_MIN_AMOUNT')
  expect(describeIt(example('fiatWithdraw', 'Done'))).toBe('411111******1111')
  expect(describeIt(example('cryptoInvoice', 'DONE'))).toBe('15')
  expect(describeIt(example('exchange', 'Done'))).toBe('Exchange')
})

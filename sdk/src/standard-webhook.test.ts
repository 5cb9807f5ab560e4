import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { verifyStandardWebhook, WebhookError } from './index.ts'
import type { VerifyStandardWebhook } from './index.ts'

const secret = `whsec_${Buffer.from('an old secret of 24 bytes').toString('base64')}`
const other = `whsec_${Buffer.from('a new secret of 24 bytes!').toString('base64')}`
const id = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'
const seconds = 1_677_486_443
const rawBody = '{"id":"1","kind":"Replenish","status":"Pending","meta":"гривня \\u20b4"}'

/** The signature of the reference implementation of the specification. */
const sign = (key: string, body = rawBody, stamp = seconds) => new Webhook(key).sign(id, new Date(stamp * 1_000), body)

const received = (change: Partial<VerifyStandardWebhook> = {}): VerifyStandardWebhook => ({
  headers: { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': sign(secret) },
  rawBody,
  secrets: secret,
  now: () => seconds * 1_000,
  ...change,
})
const withHeaders = (headers: Record<string, string>) =>
  received({ headers: { ...(received().headers as object), ...headers } })

const refusal = (webhook: VerifyStandardWebhook): number | undefined => {
  try {
    verifyStandardWebhook(webhook)
    return undefined
  } catch (error) {
    if (error instanceof WebhookError) return error.code
    throw error
  }
}

describe('a notification signed by the reference implementation', () => {
  test('is accepted, and its body answered', () => {
    expect(verifyStandardWebhook(received())).toEqual(JSON.parse(rawBody))
    expect(verifyStandardWebhook(received({ rawBody: Buffer.from(rawBody) }))).toEqual(JSON.parse(rawBody))
  })

  test.each([
    ['by either of two secrets', received({ secrets: [other, secret] })],
    ['by a secret without its prefix', received({ secrets: secret.slice('whsec_'.length) })],
    ['as the second of two signatures', withHeaders({ 'webhook-signature': `${sign(other)} ${sign(secret)}` })],
    ['beside a version that is not known', withHeaders({ 'webhook-signature': `v1a,AAAA ${sign(secret)}` })],
    ['five minutes ago', received({ now: () => (seconds + 300) * 1_000 })],
  ])('is accepted %s', (_, webhook) => expect(refusal(webhook)).toBeUndefined())

  test.each([
    [-2, 'more than five minutes ago', received({ now: () => (seconds + 301) * 1_000 })],
    [-3, 'more than five minutes ahead', received({ now: () => (seconds - 301) * 1_000 })],
    [-1, 'by another secret', received({ secrets: other })],
    [-1, 'for another body', received({ rawBody: rawBody.replace('Pending', 'Done') })],
    [-1, 'for another id', withHeaders({ 'webhook-id': 'msg_1' })],
    [-1, 'for another time', withHeaders({ 'webhook-timestamp': String(seconds + 1) })],
    [-1, 'in another version', withHeaders({ 'webhook-signature': sign(secret).replace('v1,', 'v2,') })],
    [-1, 'and cut', withHeaders({ 'webhook-signature': sign(secret).slice(0, 20) })],
    [-1, 'without a signature', received({ headers: { 'webhook-id': id, 'webhook-timestamp': String(seconds) } })],
    [-1, 'without an id', received({ headers: { ...(withHeaders({}).headers as object), 'webhook-id': undefined } })],
  ])('is refused with %i %s', (code, _, webhook) => expect(refusal(webhook)).toBe(code))
})

test('agrees with the reference implementation on random bodies and secrets', () => {
  for (let round = 0; round < 100; round += 1) {
    const key = `whsec_${randomBytes(24 + (round % 40)).toString('base64')}`
    const body = JSON.stringify({ round, text: randomBytes(round).toString('base64') })
    const now = Math.floor(Date.now() / 1_000)
    const headers = { 'webhook-id': id, 'webhook-timestamp': String(now), 'webhook-signature': sign(key, body, now) }
    const verified = verifyStandardWebhook({ headers, rawBody: body, secrets: key })
    expect(verified).toEqual(new Webhook(key).verify(body, headers))
  }
})

test.each(['', 'whsec_', 'whsec_***', []])('refuses to run with %j for secrets', (secrets) => {
  expect(() => verifyStandardWebhook(received({ secrets }))).toThrow(TypeError)
})

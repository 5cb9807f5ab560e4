import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { notificationMessage, requestMessage, standardWebhookMessage } from './signing.ts'
import { signatureVectors } from './vectors.ts'
import type { SignatureVector } from './vectors.ts'

const messageOf = ({ form, method, target, body, timestamp }: SignatureVector) => {
  if (form === 'request') return requestMessage(method, target, body, timestamp)
  const slash = target.indexOf('/')
  return notificationMessage(target.slice(0, slash), target.slice(slash), body, timestamp)
}

const sign = (key: string, message: readonly (string | Uint8Array)[]) => {
  const hmac = createHmac('sha256', key)
  for (const piece of message) hmac.update(piece)
  return hmac.digest('hex')
}

describe('signature vectors of contract.md section 3', () => {
  test.each(signatureVectors.map((vector) => [vector.name, vector] as const))('%s', (_, vector) => {
    const signature = sign(vector.key, messageOf(vector))
    expect(signature.slice(0, vector.signature.length)).toBe(vector.signature)
  })

  test('are 19, and all but the one published cut off have 64 digits', () => {
    expect(signatureVectors).toHaveLength(19)
    expect(signatureVectors.filter(({ signature }) => signature.length !== 64).map(({ name }) => name)).toEqual([
      'crypto assets, cut off',
    ])
  })

  test('the misprints of the documentation do not verify', () => {
    const [, rotating, , fee] = signatureVectors
    const bodyWithMethodAndPath = `POST/merchants/rotating-addresses${rotating!.body}`
    expect(sign('private-key', messageOf({ ...rotating!, body: bodyWithMethodAndPath }))).toMatch(/^a1860243/)
    expect(sign('private-key', messageOf({ ...fee!, target: fee!.target.replace('/merchants', '') }))).toMatch(
      /^dc0a2d19/,
    )
  })
})

test('a body of bytes is signed as it is, even when it is not UTF-8', () => {
  const body = Uint8Array.of(0x7b, 0xff, 0x7d)
  const whole = Buffer.concat([Buffer.from('POST/merchants/addresses'), body, Buffer.from('1677486443')])
  expect(sign('private-key', requestMessage('POST', '/merchants/addresses', body, '1677486443'))).toBe(
    createHmac('sha256', 'private-key').update(whole).digest('hex'),
  )
})

test('a Standard Webhooks message parts id, timestamp and body by dots', () => {
  expect(standardWebhookMessage('msg_1', '1677486443', '{"a":1}').join('')).toBe('msg_1.1677486443.{"a":1}')
})

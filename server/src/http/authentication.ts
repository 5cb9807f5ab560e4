import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { authenticationErrors, headerPatterns, requestHeaders } from '@bursar/contract'
import { isUuid } from '../base/id.ts'
import { validKeys, type Merchant, type MerchantDirectory, type MerchantKey } from '../merchants/index.ts'
import { badSignature, invalidRequest, refuse } from './refusals.ts'

export interface SignedHeaders {
  merchantId: string
  signature: string
  timestamp: string
  idempotencyKey: string | undefined
}

const SIGNATURE = new RegExp(headerPatterns.signature)
const TIMESTAMP = new RegExp(headerPatterns.timestamp)
const IDEMPOTENCY_KEY = new RegExp(headerPatterns.idempotencyKey)
const ONCE = new Set<string>([
  requestHeaders.merchantId, requestHeaders.signature, requestHeaders.timestamp, requestHeaders.idempotencyKey,
])

/**
 * The headers of a signed request, each of which must be there once: Node joins repeated ones, which would let two readers
 * see two requests. Counted on the raw headers.
 */
export const readSignedHeaders = ({ rawHeaders }: IncomingMessage): SignedHeaders => {
  const values: Record<string, string> = {}
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    if (!ONCE.has(name)) continue
    if (values[name] !== undefined) throw refuse(authenticationErrors.invalidSignature, `the header ${name} stands twice: send it once`)
    values[name] = rawHeaders[i + 1]!
  }
  const merchantId = values[requestHeaders.merchantId] ?? ''
  const signature = values[requestHeaders.signature] ?? ''
  const timestamp = values[requestHeaders.timestamp] ?? ''
  const idempotencyKey = values[requestHeaders.idempotencyKey]
  if (merchantId === '' || !SIGNATURE.test(signature) || !TIMESTAMP.test(timestamp)) {
    throw refuse(
      authenticationErrors.invalidSignature,
      'Invalid signature: send merchant-id, signature (64 lowercase hex digits) and timestamp (Unix seconds, 10 digits)',
    )
  }
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
    throw refuse(invalidRequest, 'Idempotency-Key is 1 to 255 visible ASCII characters', { field: 'Idempotency-Key' })
  }
  return { merchantId, signature, timestamp, idempotencyKey }
}

/** Refuses a timestamp ahead of the server (-3) or too old (-2). The real clock, whatever the business clock says. */
export const checkTimestamp = (timestamp: string, now: number, window: { maxAge: number; maxAhead: number }): void => {
  const seconds = Math.floor(now / 1000)
  const sent = Number(timestamp)
  if (sent > seconds + window.maxAhead) {
    throw refuse(authenticationErrors.futureRequest, `Future request: timestamp is ${sent - seconds} s ahead of the server, at ${seconds}`)
  }
  if (sent < seconds - window.maxAge) {
    throw refuse(authenticationErrors.signatureExpired, `Signature expired: timestamp is ${seconds - sent} s old, at most ${window.maxAge} s are accepted`)
  }
}

/** Stands in where there is no key, so that an unknown merchant costs what a known one does. */
const NO_KEY = '0'.repeat(32)

/**
 * Finds the key that signed a request. Two keys are always tried, whichever fits and however many there are, and an unknown
 * merchant is refused like a wrong signature after the same work.
 * @param targets what the signature may be over, as sent first
 * @param at ms on the business clock, by which keys expire
 */
export const authenticate = async (
  directory: MerchantDirectory,
  headers: SignedHeaders,
  request: { method: string; targets: readonly string[]; body: Uint8Array },
  at: number,
): Promise<{ merchant: Merchant; key: MerchantKey }> => {
  const merchant = isUuid(headers.merchantId) ? await directory.find(headers.merchantId) : null
  const keys = merchant ? validKeys(merchant, 'api', at).slice(-2) : []
  const given = Buffer.from(headers.signature, 'hex')
  let match: MerchantKey | undefined
  for (let i = 0; i < 2; i += 1) {
    const key = keys[i]
    for (const target of request.targets) {
      const hmac = createHmac('sha256', key?.secret ?? NO_KEY)
      hmac.update(request.method + target).update(request.body).update(headers.timestamp)
      if (timingSafeEqual(hmac.digest(), given) && key) match = key
    }
  }
  if (!merchant || merchant.disabled || !match) throw badSignature()
  return { merchant, key: match }
}

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { authenticationErrors, headerPatterns, requestHeaders } from '@bursar/contract'
import { isUuid } from '../../platform/base/id.ts'
import type { AdditionalKey, Merchant, MerchantDirectory, MerchantKey } from '../../merchants/accounts/index.ts'
import { refusal } from '../../platform/api/route.ts'
import { badSignature, invalidRequest, notPermitted } from './refusals.ts'

export interface SignedHeaders {
  /** lowercase; may be no UUID when the header has none */
  merchantId: string
  signature: string
  timestamp: string
  idempotencyKey: string | undefined
  /** of the additional key that signed, in lowercase; undefined: the main key signed */
  keyId?: string | undefined
}

const SIGNATURE = new RegExp(headerPatterns.signature)
const TIMESTAMP = new RegExp(headerPatterns.timestamp)
const KEY_ID = new RegExp(headerPatterns.keyId)
const IDEMPOTENCY_KEY = new RegExp(headerPatterns.idempotencyKey)

/**
 * Reads the headers of a signed request. Each must appear once: Node joins repeated headers with a comma and a space,
 * which no grammar here allows, so two readers can't see two different requests.
 */
export const readSignedHeaders = ({ headers, rawHeaders }: IncomingMessage): SignedHeaders => {
  const merchantId = headers[requestHeaders.merchantId]
  const signature = headers[requestHeaders.signature]
  const timestamp = headers[requestHeaders.timestamp]
  const idempotencyKey = headers[requestHeaders.idempotencyKey]
  const keyId = headers[requestHeaders.keyId]
  if (
    typeof merchantId !== 'string' ||
    merchantId === '' ||
    merchantId.includes(',') ||
    typeof signature !== 'string' ||
    !SIGNATURE.test(signature) ||
    typeof timestamp !== 'string' ||
    !TIMESTAMP.test(timestamp)
  )
    throw refusal(authenticationErrors.invalidSignature, whatIsWrong(rawHeaders))
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(String(idempotencyKey))) {
    throw refusal(invalidRequest, 'send one Idempotency-Key of 1 to 255 visible ASCII characters', 'Idempotency-Key')
  }
  if (keyId !== undefined && !KEY_ID.test(String(keyId)))
    throw refusal(authenticationErrors.invalidSignature, 'Invalid signature: send one key-id, a UUID, or none')
  return {
    merchantId: merchantId.toLowerCase(),
    signature,
    timestamp,
    idempotencyKey: idempotencyKey as string | undefined,
    ...(keyId !== undefined && { keyId: String(keyId).toLowerCase() }),
  }
}

const REQUIRED = [requestHeaders.merchantId, requestHeaders.signature, requestHeaders.timestamp]

const whatIsWrong = (rawHeaders: readonly string[]): string => {
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
  const twice = REQUIRED.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice !== undefined) return `Invalid signature: the header ${twice} stands twice: send it once`
  return 'Invalid signature: send merchant-id, signature (64 lowercase hex digits) and timestamp (Unix seconds, 10 digits)'
}

/** Refuses a timestamp ahead of the server (-3) or too old (-2). @param now the real clock, ms */
export const checkTimestamp = (timestamp: string, now: number, window: { maxAge: number; maxAhead: number }): void => {
  const seconds = Math.floor(now / 1000)
  const sent = Number(timestamp)
  if (sent > seconds + window.maxAhead) {
    throw refusal(
      authenticationErrors.futureRequest,
      `Future request: timestamp is ${sent - seconds} s ahead of the server, at ${seconds}`,
    )
  }
  if (sent < seconds - window.maxAge) {
    throw refusal(
      authenticationErrors.signatureExpired,
      `Signature expired: timestamp is ${seconds - sent} s old, at most ${window.maxAge} s are accepted`,
    )
  }
}

/** The bytes that a signature covers. */
export interface SignedBytes {
  method: string
  /** as sent */
  target: string
  /** another target that the signature may cover (`contract.md` 18, row 32) */
  alsoSignedAs: string | undefined
  body: Uint8Array | undefined
}

/** Used when there is no key, so that an unknown merchant costs as much time as a known one. */
const NO_KEY = '0'.repeat(32)
const MOST_KEYS = 2

/**
 * Finds the key that signed a request. Two keys are always tried, whichever matches and however many exist. An unknown
 * or disabled merchant is refused like a wrong signature, after the same work.
 * @param now the real clock, ms, which decides when keys expire
 */
export const authenticate = async (
  directory: Pick<MerchantDirectory, 'find'>,
  { merchantId, signature, timestamp }: SignedHeaders,
  bytes: SignedBytes,
  now: number,
): Promise<{ merchant: Merchant; key: MerchantKey }> => {
  const found = isUuid(merchantId) ? directory.find(merchantId) : null
  const merchant = found instanceof Promise ? await found : found
  const given = Buffer.from(signature, 'hex')
  let match: MerchantKey | undefined
  let next = merchant ? merchant.keys.length - 1 : -1
  for (let i = 0; i < MOST_KEYS; i += 1) {
    while (next >= 0 && !isValid(merchant!.keys[next]!, now)) next -= 1
    const key = next >= 0 ? merchant!.keys[next] : undefined
    next -= 1
    if (isSignedBy(key?.secret ?? NO_KEY, bytes.target, bytes, timestamp, given)) match ??= key
    if (
      bytes.alsoSignedAs !== undefined &&
      isSignedBy(key?.secret ?? NO_KEY, bytes.alsoSignedAs, bytes, timestamp, given)
    )
      match ??= key
  }
  if (!merchant || merchant.disabled || !match) throw badSignature()
  return { merchant, key: match }
}

/**
 * Finds the additional key that signed a request. One key is tried, whether it exists or not: an unknown merchant or
 * key, one of another merchant, one that has ended, and a wrong signature are refused alike, after the same work. The
 * id of the key is not signed and needs not be: each key has a secret of its own, so a signature by another key does
 * not verify.
 * @param from address of the client, which is asked for after the signature is verified
 */
export const authenticateAdditional = async (
  directory: Pick<MerchantDirectory, 'find'>,
  { merchantId, signature, timestamp, keyId }: SignedHeaders,
  bytes: SignedBytes,
  { now, from }: { now: number; from: () => string },
): Promise<{ merchant: Merchant; key: AdditionalKey; from: string }> => {
  const found = isUuid(merchantId) ? directory.find(merchantId) : null
  const merchant = found instanceof Promise ? await found : found
  const given = Buffer.from(signature, 'hex')
  const key = merchant?.additionalKeys.find(
    ({ id, expiresAt }) => id === keyId && (expiresAt === null || expiresAt > now),
  )
  const secret = key?.secret ?? NO_KEY
  const isPlain = isSignedBy(secret, bytes.target, bytes, timestamp, given)
  const isOther = bytes.alsoSignedAs !== undefined && isSignedBy(secret, bytes.alsoSignedAs, bytes, timestamp, given)
  if (!merchant || merchant.disabled || !key || !(isPlain || isOther)) throw badSignature()
  const address = from()
  if (!key.allows(address))
    throw refusal(notPermitted, `the key ${key.id} may not be used from ${address}: add the address to its list`)
  return { merchant, key, from: address }
}

const isValid = ({ purpose, expiresAt }: MerchantKey, now: number): boolean =>
  purpose === 'api' && (expiresAt === null || expiresAt > now)

const isSignedBy = (
  secret: string,
  target: string,
  { method, body }: SignedBytes,
  timestamp: string,
  given: Buffer,
): boolean => {
  const hmac = createHmac('sha256', secret)
  if (body === undefined || body.length === 0) hmac.update(method + target + timestamp)
  else
    hmac
      .update(method + target)
      .update(body)
      .update(timestamp)
  return timingSafeEqual(hmac.digest(), given)
}

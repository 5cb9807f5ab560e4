import type { Fingerprinted } from '../../platform/base/same-request.ts'
import { createHmac, type KeyObject } from 'node:crypto'
import { scopesOf, type ErrorCode, type Operation, type Scope } from '@bursar/contract'
import { isUuid } from '../../platform/base/id.ts'
import type { KeyUse, Merchant, MerchantDirectory, MerchantKey } from '../../merchants/accounts/index.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import {
  type AnswerKey,
  type ApiAnswer,
  type ApiRequest,
  type Route,
  type StreamedAnswer,
  refusal,
} from '../../platform/api/route.ts'
import type { Exchange } from './answering.ts'
import {
  authenticate,
  authenticateAdditional,
  checkTimestamp,
  readSignedHeaders,
  type SignedBytes,
  type SignedHeaders,
} from './authentication.ts'
import type { ClientAddress } from './client-address.ts'
import type { RateLimiter } from './rate-limit.ts'
import { invalidRequest, notBuilt, notFound, notPermitted, tooManyRequests } from './refusals.ts'
import { nullableOf, withoutNulls, type NullableFields } from './nulls.ts'
import { requireService } from './service.ts'
import { parseStrict } from './strict-json.ts'
import { readQuery, type Target } from './target.ts'
import { validationCodeOf, validatorOf, type Validator } from '../../platform/api/validation.ts'

export interface EdgeDeps {
  directory: Pick<MerchantDirectory, 'find'>
  clock: Pick<Clock, 'now'>
  limiter: RateLimiter
  /** seconds */
  window: { maxAge: number; maxAhead: number }
  requestsPerMinute: number
  /** called when a key signs its first valid request */
  onFirstUse(merchant: Merchant, key: MerchantKey): void
  /** called for each valid request that an additional key signs; only changes memory */
  onKeyUse(use: KeyUse): void
  clientAddress: ClientAddress
  /**
   * the same in every process, newest first; see `fingerprintOf`. Key objects, because importing the bytes for each
   * request costs as much as all other checks
   */
  fingerprintKeys: readonly KeyObject[]
  /**
   * returns the answer to an earlier identical request; called before an operation that moves money or has an
   * Idempotency-Key
   */
  findKnown(request: {
    merchantId: string
    keys: readonly AnswerKey[]
    localId: string | null
  }): Promise<ApiAnswer | undefined>
  /** Lets a test kill the process at a named point; absent in production. */
  pause?: (name: string) => Promise<void>
}

/** A request, the facts established while it is processed, and the destination of its answer. */
export interface Passage extends Exchange {
  /** the value of `:id` in the path; empty when the operation has none */
  id: string
  /** the parsed target */
  target: Target
  body: Buffer | undefined
  /** null until the signature is verified */
  merchantId: string | null
  /** of the key that signed it; null until the signature is verified */
  keyId: string | null
}

export interface OperationHandler {
  /** Makes the checks that come before the body is read: header grammar and timestamp. Throws a refusal. */
  readHeaders(passage: Passage): SignedHeaders
  /** Does everything else, after the body is read. */
  handle(passage: Passage, headers: SignedHeaders): Promise<ApiAnswer | StreamedAnswer>
}

/**
 * Creates an operation of the contract on one of its paths. Checks follow the order of `contract.md` 19 #1: header
 * grammar, timestamp, merchant and signature as one step, rate, scopes of an additional key, JSON, schema, scopes of
 * what the body asks for, earlier identical requests, then the operation.
 * @param alsoSignedAs another path that the signature may cover instead of the requested one
 */
export const createOperation = (
  operation: Operation,
  route: Route | undefined,
  alsoSignedAs: string | undefined,
  deps: EdgeDeps,
): OperationHandler => {
  const notBuiltYet = (): never => {
    throw notBuiltRefusal(operation)
  }
  if (!operation.signed) return { readHeaders: notBuiltYet, handle: async () => notBuiltYet() }
  const read = createReader(operation, deps.fingerprintKeys)
  const readHeaders = (passage: Passage): SignedHeaders => {
    const headers = readSignedHeaders(passage.request)
    checkTimestamp(headers.timestamp, deps.clock.now(), deps.window)
    return headers
  }
  const handle = async (passage: Passage, headers: SignedHeaders): Promise<ApiAnswer | StreamedAnswer> => {
    const {
      request: message,
      body,
      target: { query },
    } = passage
    const now = deps.clock.now()
    const other = alsoSignedAs === undefined || query === '' ? alsoSignedAs : `${alsoSignedAs}?${query}`
    const bytes = { method: message.method!, target: message.url!, alsoSignedAs: other, body }
    const { merchant, key, may } = await identify(deps, passage, headers, bytes, now)
    passage.merchantId = merchant.id
    passage.keyId = key.id
    limitRate(deps, merchant, passage, now, may ? key.id : undefined)
    if (may) requireScopes(operation.scopes, may)
    if (!route) throw notBuiltRefusal(operation)
    const request = read(passage, headers, { merchant, key }, query)
    if (may) requireScopes(scopesOf(operation, request.body), may)
    const known = await answerBefore(operation, request, deps)
    if (known) return known
    requireService(merchant, operation)
    const streamed = route.stream?.(request)
    if (streamed) return streamed
    const answer = await route.handle(request)
    if (operation.movesMoney) await deps.pause?.('committed-not-answered')
    return answer
  }
  return { readHeaders, handle }
}

interface Identified {
  merchant: Merchant
  key: Pick<MerchantKey, 'id'>
  /** the scopes of an additional key; undefined: the main key may do everything */
  may: readonly Scope[] | undefined
}

/** Finds the merchant and the key that signed a request, and records that the key was used. */
const identify = async (
  deps: EdgeDeps,
  { request }: Passage,
  headers: SignedHeaders,
  bytes: SignedBytes,
  now: number,
): Promise<Identified> => {
  if (headers.keyId === undefined) {
    const { merchant, key } = await authenticate(deps.directory, headers, bytes, now)
    if (key.firstUsedAt === null) deps.onFirstUse(merchant, key)
    return { merchant, key, may: undefined }
  }
  const { merchant, key, from } = await authenticateAdditional(deps.directory, headers, bytes, {
    now,
    from: () => deps.clientAddress(request),
  })
  deps.onKeyUse({ merchantId: merchant.id, keyId: key.id, from, at: now })
  return { merchant, key, may: key.scopes }
}

const requireScopes = (needed: readonly Scope[], may: readonly Scope[]): void => {
  const missing = needed.filter((scope) => !may.includes(scope))
  if (missing.length > 0)
    throw refusal(notPermitted, `this key lacks the scope ${missing.join(' and the scope ')}, which this request needs`)
}

const answerBefore = async (
  { movesMoney }: Operation,
  { merchantId, answerKeys: keys, body }: ApiRequest,
  deps: EdgeDeps,
): Promise<ApiAnswer | undefined> => {
  if (keys.length === 0) return undefined
  const { localId } = (body ?? {}) as { localId?: unknown }
  return deps.findKnown({ merchantId, keys, localId: movesMoney && typeof localId === 'string' ? localId : null })
}

const notBuiltRefusal = ({ id, method, path }: Operation) =>
  refusal(notBuilt, `${method} ${path} (${id}) is not built yet`)

/**
 * Counts a request toward the rate of its merchant. Each additional key has half of it: one program can't use up all.
 * @param additional the id of the additional key that signed the request; undefined: the main key did
 */
const limitRate = (
  deps: EdgeDeps,
  { id, settings }: Merchant,
  passage: Passage,
  now: number,
  additional: string | undefined,
): void => {
  const whole = settings.requestsPerMinute ?? deps.requestsPerMinute
  const perMinute = additional === undefined ? whole : Math.max(1, Math.floor(whole / 2))
  const ofKey = additional === undefined ? Infinity : deps.limiter.take(`${id} ${additional}`, perMinute, now)
  const left = ofKey < 0 ? ofKey : Math.min(ofKey, deps.limiter.take(id, whole, now))
  passage.rate = { left: Math.max(0, left), perMinute }
  if (left < 0) {
    throw refusal(tooManyRequests, `more than ${perMinute} requests a minute: try again in ${-left} s`, {
      retryAfterSeconds: -left,
    })
  }
}

type Reader = (
  passage: Passage,
  headers: SignedHeaders,
  signedBy: Pick<Identified, 'merchant' | 'key'>,
  queryText: string,
) => ApiRequest

/** Creates the function that reads an operation's parameters, query and body. It refuses everything else. */
const createReader = (operation: Operation, fingerprintKeys: readonly KeyObject[]): Reader => {
  const code = validationCodeOf(operation)
  const checkQuery = operation.query ? validatorOf(operation.query, code, 'the query') : undefined
  const checkBody = operation.body
    ? { fits: validatorOf(operation.body, code, 'the body'), fields: nullableOf(operation.body) }
    : undefined
  const names = Object.keys(operation.query?.properties ?? {})
  const isPost = operation.method === 'POST'
  return (passage, headers, { merchant, key }, queryText) => {
    if (passage.request.headers['content-encoding'] !== undefined)
      throw refusal(invalidRequest, 'send the body without Content-Encoding')
    if (isPost && queryText !== '')
      throw refusal(invalidRequest, 'a POST request has no query: send its values in the body')
    const query = queryText === '' ? NO_VALUES : readQuery(queryText, names)
    checkQuery?.(query)
    return {
      merchantId: merchant.id,
      keyId: key.id,
      params: operation.params ? readParams(passage.id) : NO_VALUES,
      query,
      body: readBody(passage.body, checkBody, code),
      requestId: passage.requestId,
      answerKeys: isPost ? answerKeysOf(operation, headers, passage, fingerprintKeys) : NO_KEYS,
    }
  }
}

const NO_VALUES: Readonly<Record<string, string>> = Object.freeze({})
const NO_KEYS: readonly AnswerKey[] = Object.freeze([])

/** Every identifier is a UUID; any other text is answered like an unknown UUID. */
const readParams = (id: string): Record<string, string> => {
  const lower = id.toLowerCase()
  if (!isUuid(lower)) throw refusal(notFound, `nothing has the id ${JSON.stringify(id.slice(0, 64))}: ids are UUIDs`)
  return { id: lower }
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0

interface BodyCheck {
  fits: Validator
  fields: NullableFields
}

const readBody = (body: Buffer | undefined, check: BodyCheck | undefined, code: ErrorCode): unknown => {
  const isEmpty = body === undefined || body.length === 0
  if (!check) {
    if (!isEmpty && !isEmptyObject(parseStrict(body, code)))
      throw refusal(code, 'this operation takes no body: send none, or {}')
    return undefined
  }
  if (isEmpty) throw refusal(code, 'the body is empty: send one JSON object')
  const value = withoutNulls(parseStrict(body, code), check.fields)
  check.fits(value)
  return value
}

const answerKeysOf = (
  { movesMoney }: Operation,
  { signature, idempotencyKey }: SignedHeaders,
  passage: Passage,
  [newest, ...before]: readonly KeyObject[],
): readonly AnswerKey[] => {
  if (!movesMoney && idempotencyKey === undefined) return NO_KEYS
  const made: Fingerprinted = {
    fingerprint: fingerprintOf(passage, newest!),
    ...(before.length > 0 && { older: before.map((key) => fingerprintOf(passage, key)) }),
  }
  const keys: AnswerKey[] = []
  if (movesMoney) keys.push({ key: `sig:${signature}`, ...made })
  if (idempotencyKey !== undefined) keys.push({ key: `key:${idempotencyKey}`, ...made })
  return keys
}

/**
 * Returns the fingerprint by which identical requests are recognised. It covers the content, not the signature. A body
 * may contain a card number, of which few digits are unknown to anyone who sees its mask; the key prevents guessing
 * them from the fingerprint.
 */
const fingerprintOf = ({ request, body }: Passage, key: KeyObject): string => {
  const hmac = createHmac('sha256', key).update(`${request.method} ${request.url}\n`)
  return (body === undefined ? hmac : hmac.update(body)).digest('base64url')
}

import { createHmac, type KeyObject } from 'node:crypto'
import type { ErrorCode, Operation } from '@bursar/contract'
import { isUuid } from '../base/id.ts'
import type { Merchant, MerchantDirectory, MerchantKey } from '../merchants/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { AnswerKey, ApiAnswer, ApiRequest, Route } from '../platform/route.ts'
import type { Exchange } from './answering.ts'
import { authenticate, checkTimestamp, readSignedHeaders, type SignedHeaders } from './authentication.ts'
import type { RateLimiter } from './rate-limit.ts'
import { invalidRequest, notBuilt, notFound, refuse, tooManyRequests } from './refusals.ts'
import { parseStrict } from './strict-json.ts'
import { readQuery, type Target } from './target.ts'
import { validationCodeOf, validatorOf, type Validator } from '../platform/validation.ts'

export interface EdgeDeps {
  directory: Pick<MerchantDirectory, 'find'>
  clock: Pick<Clock, 'now'>
  limiter: RateLimiter
  /** seconds */
  window: { maxAge: number; maxAhead: number }
  requestsPerMinute: number
  /** told when a key that was never used signs a good request */
  onFirstUse(merchant: Merchant, key: MerchantKey): void
  /** The same in every process; see `fingerprintOf`. A key object, as importing the bytes for each request costs as much as all other checks. */
  fingerprintKey: KeyObject
  /** the answer kept under one of these keys, looked up before an operation that was sent an Idempotency-Key */
  findAnswer?: ((merchantId: string, keys: readonly AnswerKey[]) => Promise<ApiAnswer | undefined>) | undefined
}

/** A request as it arrived, what becomes known of it on the way, and where its answer goes. */
export interface Passage extends Exchange {
  /** what stands for `:id` in the path; empty where the operation has none */
  id: string
  /** the target, split */
  target: Target
  body: Buffer | undefined
  /** null until the signature was found good */
  merchantId: string | null
}

export type OperationHandler = (passage: Passage) => Promise<ApiAnswer>

/**
 * One operation of the contract on one of its paths, ready to serve. Checks come in the order of amendment 1: header grammar,
 * timestamp, then merchant and signature as one step, rate, JSON, schema, then the operation.
 * @param alsoSignedAs the path that a signature may be over instead of the one the request was sent to
 */
export const createOperation = (
  operation: Operation,
  route: Route | undefined,
  alsoSignedAs: string | undefined,
  deps: EdgeDeps,
): OperationHandler => {
  if (!operation.signed) return () => Promise.reject(notBuiltRefusal(operation))
  const read = createReader(operation, deps.fingerprintKey)
  return async (passage) => {
    const { request: message, body, target: { query } } = passage
    const headers = readSignedHeaders(message)
    const now = deps.clock.now()
    checkTimestamp(headers.timestamp, now, deps.window)
    const other = alsoSignedAs === undefined || query === '' ? alsoSignedAs : `${alsoSignedAs}?${query}`
    const { merchant, key } = await authenticate(deps.directory, headers, { method: operation.method, target: message.url!, alsoSignedAs: other, body }, now)
    passage.merchantId = merchant.id
    if (key.firstUsedAt === null) deps.onFirstUse(merchant, key)
    limitRate(deps, merchant, passage, now)
    if (!route) throw notBuiltRefusal(operation)
    const request = read(passage, headers, merchant, query)
    const kept = headers.idempotencyKey === undefined ? undefined : await deps.findAnswer?.(merchant.id, request.answerKeys)
    return kept ?? route.handle(request)
  }
}

const notBuiltRefusal = ({ id, method, path }: Operation) => refuse(notBuilt, `${method} ${path} (${id}) is not built yet`)

const limitRate = (deps: EdgeDeps, { id, settings }: Merchant, passage: Passage, now: number): void => {
  const perMinute = settings.requestsPerMinute ?? deps.requestsPerMinute
  const left = deps.limiter.take(id, perMinute, now)
  passage.rate = { left: Math.max(0, left), perMinute }
  if (left < 0) {
    throw refuse(tooManyRequests, `more than ${perMinute} requests a minute: try again in ${-left} s`, { retryAfterSeconds: -left })
  }
}

type Reader = (passage: Passage, headers: SignedHeaders, merchant: Merchant, queryText: string) => ApiRequest

/** Reads what an operation takes: parameters, query, body. Everything else is refused. */
const createReader = (operation: Operation, fingerprintKey: KeyObject): Reader => {
  const code = validationCodeOf(operation)
  const checkQuery = operation.query ? validatorOf(operation.query, code, 'the query') : undefined
  const checkBody = operation.body ? validatorOf(operation.body, code, 'the body') : undefined
  const names = Object.keys(operation.query?.properties ?? {})
  const isPost = operation.method === 'POST'
  return (passage, headers, merchant, queryText) => {
    if (passage.request.headers['content-encoding'] !== undefined) throw refuse(invalidRequest, 'send the body without Content-Encoding')
    if (isPost && queryText !== '') throw refuse(invalidRequest, 'a POST request has no query: send its values in the body')
    const query = queryText === '' ? NO_VALUES : readQuery(queryText, names)
    checkQuery?.(query)
    return {
      merchantId: merchant.id,
      params: operation.params ? readParams(passage.id) : NO_VALUES,
      query,
      body: readBody(passage.body, checkBody, code),
      requestId: passage.requestId,
      answerKeys: isPost ? answerKeysOf(operation, headers, passage, fingerprintKey) : NO_KEYS,
    }
  }
}

const NO_VALUES: Readonly<Record<string, string>> = Object.freeze({})
const NO_KEYS: readonly AnswerKey[] = Object.freeze([])

/** Every identifier is a UUID: anything else is as unknown as one that nobody has. */
const readParams = (id: string): Record<string, string> => {
  const lower = id.toLowerCase()
  if (!isUuid(lower)) throw refuse(notFound, `nothing has the id ${JSON.stringify(id.slice(0, 64))}: ids are UUIDs`)
  return { id: lower }
}

const readBody = (body: Buffer | undefined, check: Validator | undefined, code: ErrorCode): unknown => {
  const isEmpty = body === undefined || body.length === 0
  if (!check) {
    if (!isEmpty) throw refuse(code, 'this operation takes no body')
    return undefined
  }
  if (isEmpty) throw refuse(code, 'the body is empty: send one JSON object')
  const value = parseStrict(body, code)
  check(value)
  return value
}

const answerKeysOf = (
  { movesMoney }: Operation,
  { signature, idempotencyKey }: SignedHeaders,
  passage: Passage,
  fingerprintKey: KeyObject,
): readonly AnswerKey[] => {
  if (!movesMoney && idempotencyKey === undefined) return NO_KEYS
  const fingerprint = fingerprintOf(passage, fingerprintKey)
  const keys: AnswerKey[] = []
  if (movesMoney) keys.push({ key: `sig:${signature}`, fingerprint })
  if (idempotencyKey !== undefined) keys.push({ key: `key:${idempotencyKey}`, fingerprint })
  return keys
}

/**
 * Whether two requests are the same one is judged by what was sent, not by how it was signed. A body may hold the number of a
 * card, of which few digits are unknown to whoever sees its mask: without the key they can't be tried out.
 */
const fingerprintOf = ({ request, body }: Passage, key: KeyObject): string => {
  const hmac = createHmac('sha256', key).update(`${request.method} ${request.url}\n`)
  return (body === undefined ? hmac : hmac.update(body)).digest('base64url')
}

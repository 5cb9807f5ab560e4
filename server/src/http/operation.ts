import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ErrorCode, Operation } from '@bursar/contract'
import type { MerchantDirectory, Merchant, MerchantKey } from '../merchants/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { ApiAnswer, ApiRequest, Route } from '../platform/route.ts'
import { authenticate, checkTimestamp, readSignedHeaders, type SignedHeaders } from './authentication.ts'
import type { RateLimiter } from './rate-limit.ts'
import { invalidRequest, notBuilt, refuse, tooManyRequests } from './refusals.ts'
import { parseStrict } from './strict-json.ts'
import { readQuery, splitTarget } from './target.ts'
import { validationCodeOf, validatorOf, type Validator } from './validation.ts'

export interface EdgeDeps {
  directory: MerchantDirectory
  clock: Clock
  limiter: RateLimiter
  /** seconds */
  window: { maxAge: number; maxAhead: number }
  requestsPerMinute: number
  /** told the first time a key signs a good request */
  onFirstUse(merchant: Merchant, key: MerchantKey): void
}

/** A request as it arrived. The target is raw: percent-encoding and order as sent. */
export interface RawRequest {
  message: IncomingMessage
  method: string
  target: string
  /** path parameters as the router found them */
  params: Readonly<Record<string, string>>
  body: Uint8Array
  requestId: string
}

export type OperationHandler = (request: RawRequest) => Promise<ApiAnswer>

const NO_BODY = new Uint8Array(0)

/**
 * One operation of the contract, ready to serve. Checks come in the order of amendment 1: header grammar, timestamp, then
 * merchant and signature as one step, rate, JSON, schema, then the operation.
 */
export const createOperation = (operation: Operation, route: Route | undefined, deps: EdgeDeps): OperationHandler => {
  const code = validationCodeOf(operation)
  const reading: Reading = {
    operation,
    code,
    query: operation.query ? validatorOf(operation.query, code) : undefined,
    body: operation.body ? validatorOf(operation.body, code) : undefined,
    queryNames: Object.keys(operation.query?.properties ?? {}),
  }
  const alsoSigned = new Map(operation.aliases.flatMap((alias) => (alias.alsoSignedAs ? [[alias.path, alias.alsoSignedAs]] : [])))
  return async (raw) => {
    if (!operation.signed) throw notBuiltRefusal(operation)
    const headers = readSignedHeaders(raw.message)
    checkTimestamp(headers.timestamp, deps.clock.now(), deps.window)
    const { path, query } = splitTarget(raw.target)
    const other = alsoSigned.get(path)
    const targets = other === undefined ? [raw.target] : [raw.target, query === '' ? other : `${other}?${query}`]
    const { merchant, key } = await authenticate(
      deps.directory, headers, { method: raw.method, targets, body: raw.body }, deps.clock.business(),
    )
    if (key.firstUsedAt === null) deps.onFirstUse(merchant, key)
    limitRate(deps, merchant)
    if (raw.method === 'GET' && raw.body.length > 0) throw refuse(invalidRequest, 'a GET request has no body')
    if (!route) throw notBuiltRefusal(operation)
    return route.handle(readRequest(reading, raw, headers, merchant, query))
  }
}

interface Reading {
  operation: Operation
  code: ErrorCode
  query: Validator | undefined
  body: Validator | undefined
  queryNames: readonly string[]
}

const notBuiltRefusal = ({ id, method, path }: Operation) => refuse(notBuilt, `${method} ${path} (${id}) is not built yet`)

const limitRate = ({ limiter, clock, requestsPerMinute }: EdgeDeps, { id, settings }: Merchant): void => {
  const perMinute = settings.requestsPerMinute ?? requestsPerMinute
  const wait = limiter.take(id, perMinute, clock.now())
  if (wait > 0) {
    throw refuse(tooManyRequests, `more than ${perMinute} requests a minute: try again in ${wait} s`, { retryAfterSeconds: wait })
  }
}

const readRequest = (
  { operation, code, query, body, queryNames }: Reading,
  raw: RawRequest,
  headers: SignedHeaders,
  merchant: Merchant,
  queryText: string,
): ApiRequest => {
  const values = query ? pick(readQuery(queryText), queryNames) : NO_VALUES
  query?.(values)
  let parsed: unknown
  if (body) {
    parsed = parseStrict(raw.body, code)
    body(parsed)
  } else if (raw.body.length > 0) throw refuse(code, 'this operation takes no body')
  return {
    merchantId: merchant.id,
    params: raw.params,
    query: values,
    body: parsed,
    requestId: raw.requestId,
    answerKeys: raw.method === 'POST' ? answerKeysOf(operation, headers, raw) : NO_KEYS,
  }
}

const NO_VALUES: Readonly<Record<string, string>> = Object.freeze({})
const NO_KEYS: ApiRequest['answerKeys'] = Object.freeze([])

/** A parameter the operation does not know is ignored (`contract.md` 18, row 31). */
const pick = (values: Record<string, string>, names: readonly string[]): Record<string, string> => {
  const picked: Record<string, string> = {}
  for (const name of names) if (values[name] !== undefined) picked[name] = values[name]
  return picked
}

/** Whether two requests are the same one is judged by what was sent, not by how it was signed. */
const answerKeysOf = (
  { movesMoney }: Operation,
  { signature, idempotencyKey }: SignedHeaders,
  { method, target, body }: RawRequest,
): ApiRequest['answerKeys'] => {
  if (!movesMoney && idempotencyKey === undefined) return NO_KEYS
  const fingerprint = createHash('sha256').update(`${method} ${target}\n`).update(body).digest('base64url')
  return [
    ...(movesMoney ? [{ key: `sig:${signature}`, fingerprint }] : []),
    ...(idempotencyKey === undefined ? [] : [{ key: `key:${idempotencyKey}`, fingerprint }]),
  ]
}

export { NO_BODY }

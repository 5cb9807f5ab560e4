import type { Route } from './generated.ts'
import { signRequest } from './signature.ts'

/** The merchant that calls, and the service it calls. */
export interface Account {
  /** Origin of the API. */
  readonly origin: URL
  readonly merchantId: string
  readonly privateKey: string
  /** Of the additional key whose secret `privateKey` is; absent with the merchant's main key. */
  readonly keyId?: string | undefined
}

/** Parameters and body of a call. */
export interface Input {
  readonly id?: string
  /** Lists are joined by commas. */
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body?: object
}

export interface PreparedRequest {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** A web form: unsigned, and answered with a redirect. */
  readonly isForm: boolean
}

const identifier = /^[\w-]+$/

const pathOf = ({ path }: Route, { id }: Input): string => {
  if (id === undefined) return path
  if (!identifier.test(id)) throw new TypeError(`not an identifier: ${JSON.stringify(id)}`)
  return path.replace(':id', id)
}

const queryOf = ({ query = {} }: Input): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return []
    // Untyped callers may pass numbers. Amounts must be strings, because a number can't represent all of them.
    if (typeof value !== 'string' && !Array.isArray(value))
      throw new TypeError(`${name} must be a string such as "12.5": got ${JSON.stringify(value)}`)
    const text = typeof value === 'string' ? value : value.join(',')
    return [`${encodeURIComponent(name)}=${encodeURIComponent(text)}`]
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Encodes a web form. The merchant's id is in its body; undefined fields are left out. */
const formOf = (body: object, merchantId: string): string =>
  new URLSearchParams(
    Object.entries({ merchantId, ...body }).filter((field): field is [string, string] => field[1] !== undefined),
  ).toString()

const keyHeader = (idempotencyKey: string): string => {
  if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters')
  }
  return idempotencyKey
}

const bodyOf = ({ signed }: Route, { body }: Input, { merchantId }: Account): string | undefined => {
  if (body === undefined) return undefined
  return signed ? JSON.stringify(body) : formOf(body, merchantId)
}

/**
 * Builds the request of a call. Its signature covers exactly the target and body that are sent.
 * @param now ms since the epoch
 */
export const prepareRequest = (
  route: Route,
  input: Input,
  account: Account,
  { now, idempotencyKey }: { now: number; idempotencyKey?: string | undefined },
): PreparedRequest => {
  const { method, signed } = route
  const url = new URL(pathOf(route, input) + queryOf(input), account.origin)
  const body = bodyOf(route, input, account)
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = signed ? 'application/json' : 'application/x-www-form-urlencoded'
  if (idempotencyKey !== undefined) headers['idempotency-key'] = keyHeader(idempotencyKey)
  if (signed) {
    const timestamp = String(Math.floor(now / 1_000))
    // Sign the parsed URL, because it is sent: parsing may change the encoding.
    const target = url.pathname + url.search
    headers['merchant-id'] = account.merchantId
    headers['timestamp'] = timestamp
    if (account.keyId !== undefined) headers['key-id'] = account.keyId
    headers['signature'] = signRequest({ method, target, body: body ?? '', timestamp }, account.privateKey)
  }
  return { url, method, headers, body, isForm: !signed }
}

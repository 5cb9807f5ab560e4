import type { ErrorCode } from '@bursar/contract'
import type { Fingerprinted } from '../base/same-request.ts'

/** A signed request after authentication, limits and schema validation: the argument of a handler. */
export interface ApiRequest {
  merchantId: string
  /** id of the merchant's API key that signed it */
  keyId: string
  params: Readonly<Record<string, string>>
  /** query values as text; absent when not sent, empty, or the text `undefined` */
  query: Readonly<Record<string, string>>
  /** the JSON body, valid by the operation's schema; undefined when there is none */
  body: unknown
  requestId: string
  /**
   * Keys that identify a repetition of the request: its signature if it moves money, and its Idempotency-Key if it has
   * one. The response is stored under these keys together with the effect, so that a repetition gets the first
   * response.
   */
  answerKeys: readonly AnswerKey[]
}

/** The key of a stored response, and a fingerprint that detects another request with the same key. */
export interface AnswerKey extends Fingerprinted {
  key: string
}

/**
 * A response: a status with a value to serialise as JSON, or with finished JSON text; and headers of the operation,
 * names in lower case.
 */
export type ApiAnswer = ({ status: number; body: unknown } | { status: number; json: string }) & {
  headers?: Readonly<Record<string, string>>
}

/** A response with status 200 that is sent piece by piece, as it is made. */
export interface StreamedAnswer {
  /** value of the header Content-Type */
  contentType: string
  /** name under which a browser stores it: letters, digits, `-` and `.` */
  fileName: string
  /** Fails before its first piece when the request is refused. An empty piece sends nothing. */
  pieces: AsyncIterable<string | Buffer>
}

/** An operation of the contract, by id, and its handler. */
export interface Route {
  operation: string
  handle(request: ApiRequest): Promise<ApiAnswer>
  /** Answers a request piece by piece instead; undefined: `handle` answers it. */
  stream?(request: ApiRequest): StreamedAnswer | undefined
}

/** A refused request: becomes `{code, description, field?}` with the status (`contract.md` 18, rows 2 to 4). */
export class ApiRefusal extends Error {
  override name = 'ApiRefusal'
  readonly status: number
  readonly code: number
  readonly field: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    status: number,
    code: number,
    description: string,
    more: { field?: string; retryAfterSeconds?: number } = {},
  ) {
    super(description)
    this.status = status
    this.code = code
    this.field = more.field
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}

/**
 * Makes the refusal of an error of the contract.
 * @param description a sentence that says what to change
 * @param more the name of the wrong field; or with the seconds after which a repetition can succeed
 */
export const refusal = (
  { status, code }: Pick<ErrorCode, 'status' | 'code'>,
  description: string,
  more: string | { field?: string; retryAfterSeconds?: number } = {},
): ApiRefusal => new ApiRefusal(status, code, description, typeof more === 'string' ? { field: more } : more)

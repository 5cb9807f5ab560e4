import type { Fingerprinted } from '../base/same-request.ts'

/** A signed request after authentication, limits and schema: what a handler is given. */
export interface ApiRequest {
  merchantId: string
  /** of the merchant's API key that signed it */
  keyId: string
  params: Readonly<Record<string, string>>
  /** query values as text; absent when not sent, empty, or the text `undefined` */
  query: Readonly<Record<string, string>>
  /** the JSON body, valid by the operation's schema; undefined when there is none */
  body: unknown
  requestId: string
  /**
   * What makes a repetition the same request: its signature where it moves money, its Idempotency-Key where one was
   * sent. An effect is stored together with its answer under these keys, so that a repetition gets the first answer.
   */
  answerKeys: readonly AnswerKey[]
}

/** A name under which the answer to a request is kept, and what tells another request under the same name from it. */
export interface AnswerKey extends Fingerprinted {
  key: string
}

/**
 * What goes back: a status and a value to write as JSON, or JSON text made before; and headers of the operation's own,
 * names in lower case.
 */
export type ApiAnswer = ({ status: number; body: unknown } | { status: number; json: string }) & {
  headers?: Readonly<Record<string, string>>
}

/** One operation of the contract, by its id there, and what serves it. */
export interface Route {
  operation: string
  handle(request: ApiRequest): Promise<ApiAnswer>
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

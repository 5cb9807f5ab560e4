/** What an error answer said beside its description. */
interface Refusal {
  status: number
  code: number | null
  description: string
  field?: string | undefined
  requestId?: string | undefined
  retryAfterMs?: number | undefined
}

/** The service answered, and did not do what was asked. */
export class BursarError extends Error {
  /** HTTP status. */
  readonly status: number
  /**
   * Number of the error: below 0 and from 100 it means the same everywhere, 0 to 8 depend on the operation. Null when
   * the answer was not the API's (a proxy's error page): whether the call was carried out is then unknown.
   */
  readonly code: number | null
  /** What to change, in English. */
  readonly description: string
  /** JSON path of the offending field. */
  readonly field: string | undefined
  /** Names the request in the server's logs. */
  readonly requestId: string | undefined
  /** How long to wait before trying again, when the service said. */
  readonly retryAfterMs: number | undefined

  constructor({ status, code, description, field, requestId, retryAfterMs }: Refusal) {
    const number = code === null ? `${status}` : `${status}, code ${code}`
    super(`${number}: ${description}${field === undefined ? '' : ` (${field})`}`)
    this.name = 'BursarError'
    this.status = status
    this.code = code
    this.description = description
    this.field = field
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

const meanings = { timeout: 'no answer in time', aborted: 'aborted by the caller', network: 'the connection failed' }

/**
 * No answer came: whether the call was carried out is unknown. Repeat it with the same `localId` or idempotency key, or
 * look the object up.
 */
export class BursarNetworkError extends Error {
  /** `timeout`: none within `timeoutMs`. `aborted`: by the caller's signal. `network`: no connection, or it broke. */
  readonly reason: keyof typeof meanings

  constructor(reason: BursarNetworkError['reason'], request: string, cause: unknown) {
    super(`${request}: ${meanings[reason]}; whether it was carried out is unknown`, { cause })
    this.name = 'BursarNetworkError'
    this.reason = reason
  }
}

/** What was received is not a notification that the service sent just now. */
export class WebhookError extends Error {
  /** -1 invalid or missing signature, -2 too old, -3 too far ahead of this clock. */
  readonly code: -1 | -2 | -3

  constructor(code: -1 | -2 | -3, message: string) {
    super(message)
    this.name = 'WebhookError'
    this.code = code
  }
}

/**
 * A proof of liabilities does not hold. `malformed`: not a proof; `merchant`: another party's; `path`, `sum`, `root`:
 * it does not lead to its total; `commitment`, `signature`: not what was published or signed; `balance`: not what your
 * books say.
 */
export class ReserveProofError extends Error {
  readonly code: 'malformed' | 'merchant' | 'path' | 'sum' | 'root' | 'commitment' | 'signature' | 'balance'

  constructor(code: ReserveProofError['code'], message: string) {
    super(message)
    this.name = 'ReserveProofError'
    this.code = code
  }
}

/** Details of an error answer besides its description. */
interface Refusal {
  status: number
  code: number | null
  description: string
  field?: string | undefined
  requestId?: string | undefined
  retryAfterMs?: number | undefined
}

/** The service answered, and refused the call or failed. */
export class BursarError extends Error {
  /** HTTP status. */
  readonly status: number
  /**
   * Error code: codes below 0 and from 100 have one meaning everywhere, 0 to 8 depend on the operation. Null when the
   * answer is not the API's (for example a proxy's error page): it is then unknown whether the call was carried out.
   */
  readonly code: number | null
  /** What to change, in English. */
  readonly description: string
  /** JSON path of the offending field. */
  readonly field: string | undefined
  /** Names the request in the server's logs. */
  readonly requestId: string | undefined
  /** How long to wait before trying again, if the service said so. */
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
 * No answer arrived, so it is unknown whether the call was carried out. Repeat it with the same `localId` or
 * idempotency key, or look the object up.
 */
export class BursarNetworkError extends Error {
  /**
   * `timeout`: no answer within `timeoutMs`. `aborted`: by the caller's signal. `network`: no connection, or it broke.
   */
  readonly reason: keyof typeof meanings

  constructor(reason: BursarNetworkError['reason'], request: string, cause: unknown) {
    super(`${request}: ${meanings[reason]}; whether it was carried out is unknown`, { cause })
    this.name = 'BursarNetworkError'
    this.reason = reason
  }
}

/** The received request is not a recent notification of the service. */
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
 * A proof of liabilities is invalid. `malformed`: not a proof; `merchant`: the proof of another merchant; `path`,
 * `sum`, `root`: it does not lead to its total; `commitment`, `signature`: it differs from the published one or
 * is not signed by the expected key; `balance`: it differs from your own books.
 */
export class ReserveProofError extends Error {
  readonly code: 'malformed' | 'merchant' | 'path' | 'sum' | 'root' | 'commitment' | 'signature' | 'balance'

  constructor(code: ReserveProofError['code'], message: string) {
    super(message)
    this.name = 'ReserveProofError'
    this.code = code
  }
}

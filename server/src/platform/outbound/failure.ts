/** Why there is no answer. */
export type FailureReason =
  | 'refused-address'
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'bad-url'
  | 'too-large-headers'

/** A reason to fail that is known where it arises. */
export class OutboundFailure extends Error {
  override name = 'OutboundFailure'
  readonly reason: FailureReason

  constructor(reason: FailureReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

const BY_CODE: Readonly<Record<string, FailureReason>> = {
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too-large-headers',
  HPE_HEADER_OVERFLOW: 'too-large-headers',
}

/** Names what went wrong with a connection or an answer. */
export const failureOf = (error: unknown): OutboundFailure => {
  if (error instanceof OutboundFailure) return error
  // Several addresses were tried: the first error is as good as any.
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0])
  const code = codeOf(error)
  const message = error instanceof Error && error.message !== '' ? error.message : (code ?? 'the connection failed')
  return new OutboundFailure(BY_CODE[code ?? ''] ?? 'connection', message, { cause: error })
}

/** True when the other side, or the system, closed a connection: nothing is known of the request on it. */
export const isClosed = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error) ?? '')

const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

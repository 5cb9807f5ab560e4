/** The reason why there is no response. */
export type FailureReason =
  | 'refused-address'
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'bad-url'
  | 'too-large-headers'

/** A failure whose reason is known where it is thrown. */
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

/** Converts any error of a connection or response to an OutboundFailure. */
export const failureOf = (error: unknown): OutboundFailure => {
  if (error instanceof OutboundFailure) return error
  // Several addresses were tried: the first error represents all.
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0])
  const code = codeOf(error)
  const message = error instanceof Error && error.message !== '' ? error.message : (code ?? 'the connection failed')
  return new OutboundFailure(BY_CODE[code ?? ''] ?? 'connection', message, { cause: error })
}

/** True when the other side or the system closed a connection: the outcome of its request is unknown. */
export const isClosed = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error) ?? '')

const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

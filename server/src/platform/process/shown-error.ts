/** The parts of an error that are logged. */
export interface ShownError {
  type: string
  message: string
  stack?: string | undefined
  code?: unknown
  cause?: ShownError
}

/** The part of an error that is logged. Its other properties may contain the request with secrets. */
export const showError = (error: unknown, depth = 0): ShownError => {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) }
  const { name, message, stack, cause } = error
  const code = 'code' in error ? { code: error.code } : {}
  return {
    type: name,
    message,
    stack,
    ...code,
    ...(cause === undefined || depth >= 3 ? {} : { cause: showError(cause, depth + 1) }),
  }
}

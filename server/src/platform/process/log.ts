import { pino, type DestinationStream, type Logger } from 'pino'

/** Fields that must never be logged, at any depth. Compared case-insensitively. */
const SECRETS = new Set([
  'privatekey',
  'secret',
  'signature',
  'signingkey',
  'webhooksecrets',
  'passphrase',
  'password',
  'mnemonic',
  'seed',
  'authorization',
  'sealed',
  'datakey',
  'connectionstring',
  'databaseurl',
])
const BUFFERED_BYTES = 4_096
const FLUSHED_EVERY_MS = 200
const CENSORED = '[secret]'
const MOST_DEPTH = 6

/** Returns a copy without secrets, or the value itself when it has none. Omits what is nested too deep. */
export const withoutSecrets = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  if (depth > MOST_DEPTH) return '[deep]'
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1))
  let copy: Record<string, unknown> | undefined
  for (const [name, inner] of Object.entries(value)) {
    const shown = SECRETS.has(name.toLowerCase()) ? CENSORED : withoutSecrets(inner, depth + 1)
    if (shown !== inner) (copy ??= { ...value })[name] = shown
  }
  return copy ?? value
}

interface ShownError {
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

/**
 * Creates a logger that writes JSON lines without secrets. Lines are written asynchronously, so that requests do not
 * wait for the reader of the log; the rest is written when the process ends.
 */
export const createLog = (
  level: string,
  role: string,
  to: DestinationStream = pino.destination({ sync: false, minLength: BUFFERED_BYTES, periodicFlush: FLUSHED_EVERY_MS }),
): Logger =>
  pino(
    {
      level,
      base: { role },
      formatters: { log: (fields) => withoutSecrets(fields) as Record<string, unknown> },
      serializers: { err: (error: unknown) => showError(error) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    to,
  )

import { pino, type DestinationStream, type Logger } from 'pino'
import { limitRepeats } from './repeated-lines.ts'
import { showError } from './shown-error.ts'

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

/** Returns a copy without secrets, or the value itself when it has none. Omits values that are nested too deep. */
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

/**
 * Creates a logger that writes JSON lines without secrets, and a failure that repeats at most once a minute
 * (`repeated-lines.ts`). Lines are written asynchronously, so that requests do not
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
      hooks: { logMethod: limitRepeats() },
      serializers: { err: (error: unknown) => showError(error) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    to,
  )

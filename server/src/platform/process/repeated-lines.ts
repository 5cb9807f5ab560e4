import type { LogFn, Logger } from 'pino'
import { showError } from './shown-error.ts'

/** Pause between two lines about the same failure. */
const EVERY_MS = 60_000
/** Failures that are counted at once; lines of further ones are all written. */
const MOST = 1_000
const WARN = 40

type Arguments = Parameters<LogFn>
type LogMethod = (this: Logger, args: Arguments, method: LogFn, level: number) => void

/** The counts of a failure since its first line. */
interface Repeats {
  /** lines that were left out since the last one that was written */
  left: number
  total: number
  /** writes the newest of them, with their number */
  write(repeated: number): void
}

/**
 * Creates the method by which a logger writes a failure once, and then at most once a minute with the number of its
 * repetitions (`repeated`). After a minute without a repetition, an info line says that it is over. A failure is a
 * warning or an error with `err`. The same failure has the same text, job and error, without regard to numbers and ids.
 * Lines about a request are all written, because each request may need its own explanation.
 */
export const limitRepeats = (everyMs = EVERY_MS): LogMethod => {
  const open = new Map<string, Repeats>()
  const watch = (key: string, over: (total: number) => void): void => {
    const timer = setTimeout(() => {
      const known = open.get(key)!
      if (known.left > 0) {
        known.write(known.left)
        known.left = 0
        watch(key, over)
        return
      }
      open.delete(key)
      if (known.total > 0) over(known.total)
    }, everyMs)
    timer.unref()
  }
  return function (args, method, level) {
    const failure = level >= WARN ? failureOf(this, args) : undefined
    const known = failure && open.get(failure.key)
    if (known) {
      known.left += 1
      known.total += 1
      known.write = (repeated) => method.apply(this, [{ ...failure.fields, repeated }, failure.text])
      return
    }
    method.apply(this, args)
    if (!failure || open.size >= MOST) return
    open.set(failure.key, { left: 0, total: 0, write: () => {} })
    watch(failure.key, (times) => this.info({ failure: failure.text, times: times + 1 }, 'a failure is over'))
  }
}

interface Failure {
  key: string
  fields: object
  text: string
}

const failureOf = (log: Logger, [fields, text]: Arguments): Failure | undefined => {
  if (typeof fields !== 'object' || fields === null || !('err' in fields) || 'requestId' in fields) return undefined
  const { job } = log.bindings()
  const key = [job, text, ...messagesOf(showError(fields.err))].join('\n').replace(VARYING, '#')
  return { key, fields, text: text ?? '' }
}

/** Numbers, and ids and hashes of eight or more hexadecimal digits. */
const VARYING = /(?:0x)?[\da-f-]{8,}|\d+/gi

const messagesOf = ({ type, message, cause }: ReturnType<typeof showError>): string[] => [
  `${type}: ${message}`,
  ...(cause ? messagesOf(cause) : []),
]

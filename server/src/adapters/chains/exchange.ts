import { Pool } from 'undici'
import { splitLogin } from '../../platform/base/url-login.ts'
import { describeConnectionError } from '../connection-errors.ts'

export interface ExchangeSettings {
  /** http or https; a user and password in it become an authorization header */
  url: string
  /** additional headers of every request */
  headers?: Record<string, string>
  connections: number
  /** maximum bytes of an answer */
  maxBytes: number
}

export interface Received {
  status: number
  text: string
  /** pause in ms that the answer requests (`Retry-After`); null when it requests none */
  pauseMs: number | null
}

/** There was no complete answer. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
  /** False when an immediate retry would only repeat the cost. */
  readonly worthRepeating: boolean

  constructor(message: string, worthRepeating: boolean, cause?: unknown) {
    super(message, { cause })
    this.worthRepeating = worthRepeating
  }
}

/** The answer is too long or takes too long. A smaller query may succeed. */
export class TooMuch extends NoAnswer {
  override name = 'TooMuch'
}

/** The answer exceeds the maximum number of bytes. */
export class TooLong extends TooMuch {
  override name = 'TooLong'
}

/** Posts JSON to one URL, or to paths below it, over persistent connections. */
export interface Exchange {
  /**
   * Throws `NoAnswer`. The timeout applies to the whole exchange, however slowly the answer arrives.
   * @param most maximum bytes of this answer; the setting's when absent
   */
  post(body: string, timeoutMs: number, below?: string, most?: number): Promise<Received>
  close(): Promise<void>
}

const IDLE_MS = 10_000

export const createExchange = ({ url, headers: more = {}, connections, maxBytes }: ExchangeSettings): Exchange => {
  const { url: place, headers: login } = splitLogin(url)
  const { origin, pathname, search } = place
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...more, ...login }
  // One deadline for the whole exchange replaces undici's own timeouts, which restart with every byte.
  const pool = new Pool(origin, { connections, keepAliveTimeout: IDLE_MS, headersTimeout: 0, bodyTimeout: 0 })
  return {
    post: async (body, timeoutMs, below, most = maxBytes) => {
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        const path = (below === undefined ? pathname : `${pathname.replace(/\/$/, '')}/${below}`) + search
        const answer = await pool.request({ method: 'POST', path, headers, body, signal })
        return {
          status: answer.statusCode,
          text: await readText(answer.body, most),
          pauseMs: pauseInHeaders(answer.headers),
        }
      } catch (error) {
        if (error instanceof NoAnswer) throw error
        if (signal.aborted) throw new TooMuch(`no answer within ${timeoutMs} ms`, false)
        throw new NoAnswer(`no answer: ${reasonOf(error)}`, true, error)
      }
    },
    close: () => pool.destroy(),
  }
}

/**
 * Reason of a failure. When a name has several addresses, the error of a refused connection has a code but no message.
 */
const reasonOf = (error: unknown): string => {
  const { code, message } = error as { code?: string; message?: string }
  return code === undefined ? (message ?? String(error)) : describeConnectionError(error)
}

const readText = async (body: AsyncIterable<Buffer> & { destroy(): unknown }, maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop destroys the body, and with it the connection.
    if (bytes > maxBytes) throw new TooLong(`the answer is longer than ${maxBytes} bytes`, false)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes).toString('utf8')
}

/**
 * Pause of `Retry-After` in ms: from seconds, or from a date, which is compared with the answer's own `Date`. Null when
 * there is neither.
 */
const pauseInHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>): number | null => {
  const after = textOf(headers['retry-after'])
  if (after === undefined) return null
  if (/^\d{1,8}$/.test(after)) return Number(after) * 1_000
  const ms = Date.parse(after) - Date.parse(textOf(headers['date']) ?? '')
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

const textOf = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

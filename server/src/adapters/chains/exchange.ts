import { Pool } from 'undici'
import { describeConnectionError } from '../connection-errors.ts'

export interface ExchangeSettings {
  /** http or https; a user and password in it become an authorization header */
  url: string
  /** sent with every request, besides */
  headers?: Record<string, string>
  connections: number
  /** bytes of an answer that are read at most */
  maxBytes: number
}

export interface Received {
  status: number
  text: string
  /** ms that the answer asks to be left alone (`Retry-After`); null when it does not */
  pauseMs: number | null
}

/** No whole answer came. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
  /** False when asking again at once would only cost as much again. */
  readonly worthRepeating: boolean

  constructor(message: string, worthRepeating: boolean, cause?: unknown) {
    super(message, { cause })
    this.worthRepeating = worthRepeating
  }
}

/** The answer is more than is read, or takes longer to make than is waited for: a smaller question may be answered. */
export class TooMuch extends NoAnswer {
  override name = 'TooMuch'
}

/** The answer has more bytes than are read. */
export class TooLong extends TooMuch {
  override name = 'TooLong'
}

/** JSON posted to one address, or to paths below it, over connections that are kept alive. */
export interface Exchange {
  /**
   * Throws `NoAnswer`. The time bounds the whole exchange, however slowly the answer trickles.
   * @param most bytes of this answer that are read; the setting's when absent
   */
  post(body: string, timeoutMs: number, below?: string, most?: number): Promise<Received>
  close(): Promise<void>
}

const IDLE_MS = 10_000

export const createExchange = ({ url, headers: more = {}, connections, maxBytes }: ExchangeSettings): Exchange => {
  const { origin, pathname, search, username, password } = new URL(url)
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json', ...more }
  if (username !== '') headers['authorization'] = basic(decodeURIComponent(username), decodeURIComponent(password))
  // One deadline over the whole exchange stands in place of undici's own, which start again with every byte.
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

/** A refused connection has a code and no message of its own when a name has several addresses. */
const reasonOf = (error: unknown): string => {
  const { code, message } = error as { code?: string; message?: string }
  return code === undefined ? (message ?? String(error)) : describeConnectionError(error)
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

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
 * ms that `Retry-After` asks for: seconds, or a date, which is held against the answer's own `Date`. Null when neither
 * is there.
 */
const pauseInHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>): number | null => {
  const after = textOf(headers['retry-after'])
  if (after === undefined) return null
  if (/^\d{1,8}$/.test(after)) return Number(after) * 1_000
  const ms = Date.parse(after) - Date.parse(textOf(headers['date']) ?? '')
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

const textOf = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

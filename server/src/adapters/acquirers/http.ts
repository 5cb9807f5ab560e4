import { Client, type Dispatcher } from 'undici'
import { describeConnectionError } from '../connection-errors.ts'
import { AcquirerUnreachable } from './port.ts'

export interface AcquirerHttpSettings {
  /** the account's name, for errors */
  account: string
  /** ms from the DNS lookup to the end of the answer; 20,000 when absent */
  timeoutMs?: number
  /** maximum bytes of an answer's body; 1 MiB when absent */
  maxBytes?: number
  /** PEM, trusted instead of the system's certificates */
  ca?: string
}

interface HttpQuestion {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  /** empty when absent */
  body?: string | Buffer
}

export interface HttpAnswer {
  /** 200 to 299 or 400 to 499 */
  status: number
  /** names in lower case */
  headers: Readonly<Record<string, string>>
  body: Buffer
}

/** HTTP client of an adapter. */
export interface AcquirerHttp {
  /**
   * Sends a request once. Returns a complete answer with a status from 200 to 299 or 400 to 499. Anything else throws
   * AcquirerUnreachable, where `sent` is false only when no byte of the request left this machine. Errors contain no
   * path, query, headers or bodies, because these may contain keys and card numbers.
   */
  ask(question: HttpQuestion): Promise<HttpAnswer>
}

const TIMEOUT_MS = 20_000
const MAX_BYTES = 1024 * 1024
const MAX_HEADER_BYTES = 16_384

export const createAcquirerHttp = (settings: AcquirerHttpSettings): AcquirerHttp => {
  const { account, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, ca } = settings
  return {
    ask: async (question) => {
      const { origin, pathname, search } = new URL(question.url)
      // A new connection for each request: if the other side closed a persistent one at that moment, it would be
      // unknown whether a payout was sent.
      const client = new Client(origin, {
        pipelining: 0,
        maxHeaderSize: MAX_HEADER_BYTES,
        allowH2: false,
        // Replaced by one deadline for the whole exchange, because these timeouts restart with every byte.
        headersTimeout: 0,
        bodyTimeout: 0,
        connect: { timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) },
      })
      try {
        return await exchange(client, { ...question, path: pathname + search }, { account, timeoutMs, maxBytes })
      } finally {
        void client.destroy()
      }
    },
  }
}

type Bounds = Required<Pick<AcquirerHttpSettings, 'account' | 'timeoutMs' | 'maxBytes'>>

const exchange = (client: Client, question: HttpQuestion & { path: string }, bounds: Bounds): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const { account, timeoutMs, maxBytes } = bounds
    const { method, path, headers, body = '' } = question
    const started: { sent: boolean; status: number; headers: Record<string, string>; chunks: Buffer[]; bytes: number } =
      {
        sent: false,
        status: 0,
        headers: {},
        chunks: [],
        bytes: 0,
      }
    const timer = setTimeout(() => fail(`no whole answer within ${timeoutMs} ms`), timeoutMs)
    const fail = (why: string): void => {
      clearTimeout(timer)
      void client.destroy()
      reject(new AcquirerUnreachable(`${account}: ${why}`, { sent: started.sent }))
    }
    const handler: Dispatcher.DispatchHandler = {
      // Called when the connection is open, just before the first byte is written.
      onRequestStart: () => {
        started.sent = true
      },
      onResponseStart: (_controller, status, received) => {
        started.status = status
        started.headers = namesAndValues(received)
      },
      onResponseData: (_controller, chunk) => {
        started.bytes += chunk.length
        if (started.bytes > maxBytes) fail(`the answer is longer than ${maxBytes} bytes`)
        else started.chunks.push(chunk)
      },
      onResponseEnd: () => {
        clearTimeout(timer)
        const { status } = started
        if (status < 200 || (status >= 300 && status < 400) || status >= 500) return fail(`it answered HTTP ${status}`)
        resolve({ status, headers: started.headers, body: Buffer.concat(started.chunks) })
      },
      onResponseError: (_controller, error) => fail(`no answer: ${describeConnectionError(error)}`),
    }
    client.dispatch({ method, path, headers: { ...headers }, body: method === 'GET' ? null : body }, handler)
  })

const namesAndValues = (received: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(received).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

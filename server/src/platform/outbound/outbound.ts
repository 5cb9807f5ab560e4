import { Connections } from './connections.ts'
import { createConnector } from './connector.ts'
import { Exchange, type Received } from './exchange.ts'
import { failureOf, isClosed, OutboundFailure, type FailureReason } from './failure.ts'
import { createGuard } from './guard.ts'
import { createDnsLookup, type Lookup } from './lookup.ts'
import { createTargets, type Target, type TargetRules } from './target.ts'

export interface OutboundSettings {
  /** CIDR ranges that are allowed although they are not public. The sandbox allows `127.0.0.0/8`; production none. */
  allowPrivate: readonly string[]
  /** Allow plain http; otherwise only https. */
  allowHttp: boolean
  /** Allowed ports; all by default. */
  ports?: TargetRules['ports']
  /** Time limit of a request up to the end of its response, in ms; 10,000 by default. A request may set its own. */
  timeoutMs?: number
  /** Resolves names; uses the configured name servers by default. */
  lookup?: Lookup
  /** Certificates to trust instead of the system's, PEM. */
  ca?: string
  /** Maximum number of origins with persistent connections; 1,024 by default. */
  maxOrigins?: number
  /** Maximum number of connections to one origin; 512 by default. Further requests wait, and their time limit runs. */
  connectionsPerOrigin?: number
  /** Connections to one origin that are opened before requests wait for an idle one; 64 by default. */
  eagerConnections?: number
  /** A request that has waited this long gets a new connection; 250 ms by default. */
  patienceMs?: number
}

interface OutboundRequest {
  /** Names and values alternating, or an object; `host` and `content-length` follow from URL and body. */
  headers: readonly string[] | Readonly<Record<string, string>>
  body: string | Buffer
  timeoutMs?: number
  /** Bytes of the response body to read; 65,536 by default. */
  maxAnswerBytes?: number
}

export type Answer =
  /** Any status, including redirects. `body` is complete, or truncated to the requested size. */
  | { kind: 'answer'; status: number; durationMs: number; body: Buffer }
  /** It is unknown whether the other side processed the request. `message` contains neither the URL nor headers. */
  | { kind: 'failed'; reason: FailureReason; message: string; durationMs: number }

export interface Outbound {
  /** Sends one POST. Never rejects, never follows a redirect, never decompresses. */
  post(url: string, request: OutboundRequest): Promise<Answer>
  /** Closes all connections; requests in progress fail. */
  close(): Promise<void>
}

const TIMEOUT_MS = 10_000
const ANSWER_BYTES = 65_536

export const createOutbound = (settings: OutboundSettings): Outbound => {
  const { timeoutMs = TIMEOUT_MS, lookup = createDnsLookup(), maxOrigins = 1_024 } = settings
  const { connectionsPerOrigin = 512, eagerConnections = 64, patienceMs = 250 } = settings
  const connect = createConnector({
    guard: createGuard(settings.allowPrivate),
    lookup,
    timeoutMs,
    ...(settings.ca === undefined ? {} : { ca: settings.ca }),
  })
  const connections = new Connections({
    connect,
    most: maxOrigins,
    perOrigin: connectionsPerOrigin,
    eager: eagerConnections,
    patienceMs,
  })
  const read = createTargets(settings)
  return {
    post: (url, request) =>
      new Promise((resolve) => {
        const startedAt = performance.now()
        const settle = (error: unknown, received: Received | undefined): void => {
          const durationMs = Math.round(performance.now() - startedAt)
          if (received) return resolve({ kind: 'answer', status: received.status, durationMs, body: received.body })
          const { reason, message } = failureOf(error)
          resolve({ kind: 'failed', reason, message, durationMs })
        }
        try {
          sendInTime(connections, read(url), { timeoutMs, ...request }, settle)
        } catch (error) {
          settle(error, undefined)
        }
      }),
    close: () => connections.destroy(),
  }
}

/**
 * Sends a request with one deadline for everything: resolving, connecting, sending, the whole response, and a second
 * attempt. If the other side had closed a persistent connection, which is not the receiver's failure, the request is
 * repeated once on a new one.
 */
const sendInTime = (
  connections: Connections,
  { origin, path }: Target,
  { headers, body, timeoutMs, maxAnswerBytes = ANSWER_BYTES }: OutboundRequest & { timeoutMs: number },
  settle: (error: unknown, received: Received | undefined) => void,
): void => {
  let exchange: Exchange
  const send = (fresh: boolean): void => {
    exchange = new Exchange(maxAnswerBytes, (error, received) => {
      if (error !== undefined && exchange.reused && !fresh && !exchange.answered && isClosed(error)) return send(true)
      clearTimeout(timer)
      settle(error, received)
    })
    connections.send(origin, { path, method: 'POST', headers: headers as string[], body }, exchange, fresh)
  }
  const timer = setTimeout(
    () => exchange.abort(new OutboundFailure('timeout', `no complete answer within ${timeoutMs} ms`)),
    timeoutMs,
  )
  send(false)
}

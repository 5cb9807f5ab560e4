import { Connections } from './connections.ts'
import { createConnector } from './connector.ts'
import { Exchange, type Received } from './exchange.ts'
import { failureOf, isClosed, OutboundFailure, type FailureReason } from './failure.ts'
import { createGuard } from './guard.ts'
import { createDnsLookup, type Lookup } from './lookup.ts'
import { createTargets, type Target, type TargetRules } from './target.ts'

export interface OutboundSettings {
  /**
   * CIDR ranges that may be reached although they aren't public. The sandbox has `127.0.0.0/8`; production has none.
   */
  allowPrivate: readonly string[]
  /** Plain http; otherwise only https. */
  allowHttp: boolean
  /** Ports that may be sent to; every one by default. */
  ports?: TargetRules['ports']
  /** From the start of a request to the end of its answer, in ms; 10,000 by default. A request may ask for another. */
  timeoutMs?: number
  /** Looks names up; the configured name servers by default. */
  lookup?: Lookup
  /** Certificates to trust instead of the system's, PEM. */
  ca?: string
  /** Origins to keep connections for; 1,024 by default. */
  maxOrigins?: number
  /** The most connections to one origin; 512 by default. More requests wait for one, and their time runs. */
  connectionsPerOrigin?: number
  /** Connections to one origin that are opened before requests wait for one to come free; 64 by default. */
  eagerConnections?: number
  /** After so long a request that waits gets a connection of its own; 250 ms by default. */
  patienceMs?: number
}

interface OutboundRequest {
  /** Names and values in turn, or by name; `host` and `content-length` are made from the URL and the body. */
  headers: readonly string[] | Readonly<Record<string, string>>
  body: string | Buffer
  timeoutMs?: number
  /** Bytes of the answer's body to read; 65,536 by default. */
  maxAnswerBytes?: number
}

export type Answer =
  /** Any status, redirects included. `body` is all of it, or as much as was asked for. */
  | { kind: 'answer'; status: number; durationMs: number; body: Buffer }
  /** What the other side did with the request is not known. `message` holds neither URL nor headers. */
  | { kind: 'failed'; reason: FailureReason; message: string; durationMs: number }

export interface Outbound {
  /** Sends one POST. Never rejects, never follows a redirect, never decompresses. */
  post(url: string, request: OutboundRequest): Promise<Answer>
  /** Ends all connections; requests under way fail. */
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
 * One deadline for everything: looking up, connecting, sending, the answer to its end, and a second try: a connection
 * kept alive that the other side had closed is not the receiver's failure, so a new one is taken, once.
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

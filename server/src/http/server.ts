import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { operations, requestLimits, type Operation } from '@bursar/contract'
import type { MerchantKey } from '../merchants/index.ts'
import type { Route } from '../platform/route.ts'
import { sendJson, sendRefusal, type Exchange } from './answering.ts'
import { refusalOf } from './failures.ts'
import { createOperation, type EdgeDeps, type OperationHandler, type Passage } from './operation.ts'
import { exchangeOf, registerPages } from './pages.ts'
import { createRateLimiter, subjectOf, type RateLimiter } from './rate-limit.ts'
import { invalidRequest, notFound, refusalBody, refuse, tooManyRequests } from './refusals.ts'
import { splitTarget } from './target.ts'

export interface HttpDeps extends Omit<EdgeDeps, 'limiter'> {
  routes: readonly Route[]
  log: Logger
  /** throws while the process can't serve */
  ready(): Promise<void>
  /** requests without a good signature of one network address that are told why in a minute */
  refusalsPerMinute?: number
  /** CIDR ranges of proxies whose X-Forwarded-For names the network address */
  trustedProxies?: readonly string[]
}

const REFUSALS_PER_MINUTE = 600
/** Slow senders hold a connection no longer than this. */
const TIMES = { headersTimeout: 10_000, requestTimeout: 30_000, connectionTimeout: 60_000, keepAliveTimeout: 72_000, checkMs: 2_000 }
const MOST_HEADER_BYTES = 16_384

/** The merchant API as an HTTP server. Listens when told to. */
export const createHttpServer = (deps: HttpDeps): FastifyInstance => {
  const app = Fastify({
    bodyLimit: requestLimits.bodyBytes,
    exposeHeadRoutes: false,
    requestTimeout: TIMES.requestTimeout,
    connectionTimeout: TIMES.connectionTimeout,
    keepAliveTimeout: TIMES.keepAliveTimeout,
    http: { headersTimeout: TIMES.headersTimeout, maxHeaderSize: MOST_HEADER_BYTES, connectionsCheckingInterval: TIMES.checkMs },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: 128, compile: true, querystringParser: () => ({}) },
    trustProxy: deps.trustedProxies && deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    genReqId: createRequestIds(),
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (_error, request, reply) => fail(edge, request, exchangeOf(request, reply), unknownPath(request), null),
    logger: false,
  })
  const edge: Edge = { deps, refused: createRateLimiter() }
  // The bytes are what is signed: they are kept as they came, whatever their content type says.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, request, reply) => fail(edge, request, exchangeOf(request, reply), error, null))
  app.setNotFoundHandler((request, reply) => fail(edge, request, exchangeOf(request, reply), unknownPath(request), null))
  registerOperations(app, edge)
  registerPages(app, deps.ready)
  return app
}

interface Edge {
  deps: HttpDeps
  /** counts requests without a good signature by network address */
  refused: RateLimiter
}

/** A short name for each request: a random start for the process, then a count. */
const createRequestIds = (): (() => string) => {
  const start = randomBytes(6).toString('hex')
  let count = 0
  return () => `${start}-${(count += 1).toString(36)}`
}

const registerOperations = (app: FastifyInstance, edge: Edge): void => {
  const { deps } = edge
  const routes = new Map(deps.routes.map((route) => [route.operation, route]))
  const unknown = deps.routes.filter((route) => !operations.some(({ id }) => id === route.operation))
  if (unknown.length > 0) throw new Error(`no such operation: ${unknown.map((route) => route.operation).join(', ')}`)
  const shared: EdgeDeps = { ...deps, limiter: createRateLimiter(), onFirstUse: oncePerKey(deps.onFirstUse) }
  for (const operation of operations) {
    for (const { path, alsoSignedAs } of pathsOf(operation)) {
      const handle = createOperation(operation, routes.get(operation.id), alsoSignedAs, shared)
      app.route({
        method: operation.method,
        url: path,
        handler: (request, reply) => void serve(edge, operation.id, handle, request, reply),
      })
    }
  }
}

/** An operation's own path and its aliases, each with and without a slash at its end. */
const pathsOf = ({ path, aliases }: Operation): { path: string; alsoSignedAs: string | undefined }[] => {
  const plain = [{ path, alsoSignedAs: undefined }, ...aliases.map((alias) => ({ path: alias.path, alsoSignedAs: alias.alsoSignedAs }))]
  const all = plain.flatMap(({ path, alsoSignedAs }) => {
    const slashed = { path: `${path}/`, alsoSignedAs: alsoSignedAs && `${alsoSignedAs}/` }
    return path.endsWith('/') ? [{ path, alsoSignedAs }] : [{ path, alsoSignedAs }, slashed]
  })
  return [...new Map(all.map((one) => [one.path, one])).values()]
}

const oncePerKey = (onFirstUse: EdgeDeps['onFirstUse']): EdgeDeps['onFirstUse'] => {
  const told = new WeakSet<MerchantKey>()
  return (merchant, key) => {
    if (told.has(key)) return
    told.add(key)
    onFirstUse(merchant, key)
  }
}

const serve = async (edge: Edge, operation: string, handle: OperationHandler, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.hijack()
  const passage: Passage = {
    request: request.raw,
    response: reply.raw,
    requestId: request.id,
    params: request.params as Record<string, string>,
    body: request.body as Buffer | undefined,
    merchantId: null,
    rate: null,
  }
  const startedAt = performance.now()
  try {
    const answer = await handle(passage)
    sendJson(passage, answer.status, 'json' in answer ? answer.json : JSON.stringify(answer.body))
    const { requestId, merchantId } = passage
    edge.deps.log.info({ requestId, merchantId, operation, status: answer.status, ms: elapsed(startedAt) }, 'request')
  } catch (error) {
    fail(edge, request, passage, error, { merchantId: passage.merchantId, operation, ms: elapsed(startedAt) })
  }
}

const elapsed = (startedAt: number): number => Math.round((performance.now() - startedAt) * 10) / 10

/** Every failure becomes `{code, description}`. Those of a network address that never signs well are limited. */
const fail = (
  edge: Edge,
  request: FastifyRequest,
  exchange: Exchange,
  error: unknown,
  known: { merchantId: string | null; operation: string; ms: number } | null,
): void => {
  const { deps } = edge
  let { refusal, ours } = refusalOf(error)
  const { requestId } = exchange
  if (!ours && (known === null || known.merchantId === null)) {
    const left = edge.refused.take(subjectOf(request.ip), deps.refusalsPerMinute ?? REFUSALS_PER_MINUTE, deps.clock.now())
    if (left < 0) refusal = refuse(tooManyRequests, `too many refused requests: try again in ${-left} s`, { retryAfterSeconds: -left })
  }
  sendRefusal(exchange, refusal)
  const line = { requestId, ...known, status: refusal.status, code: refusal.code, method: request.method, target: request.raw.url }
  if (ours) deps.log.error({ ...line, err: error }, 'a request failed')
  else deps.log.info({ ...line, why: refusal.message }, 'request refused')
}

const unknownPath = (request: FastifyRequest): unknown => {
  try {
    const { path } = splitTarget(request.raw.url ?? '')
    return refuse(notFound, `there is no ${request.method} ${path}: see /docs`)
  } catch (error) {
    return error
  }
}

const STATUS_LINES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** What is not HTTP gets an answer in the same form, and the connection ends. */
const answerBrokenRequest = (error: Error & { code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const statusLine = STATUS_LINES[error.code ?? ''] ?? '400 Bad Request'
  const body = refusalBody(refuse(invalidRequest, 'the request is not well-formed HTTP, too slow, or its headers are too large'))
  socket.end(
    `HTTP/1.1 ${statusLine}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { requestLimits } from '@bursar/contract'
import type { MerchantKey } from '../../merchants/accounts/index.ts'
import { ApiRefusal, type Route, refusal } from '../../platform/api/route.ts'
import { sendJson, sendRefusal, type Exchange } from './answering.ts'
import { BODY_LIMITS, createBodyBudget, type BodyBudget, type BodyLimits } from './body-budget.ts'
import { checkLength, readBytes } from './body.ts'
import { createClientAddress, subjectOf, type ClientAddress } from './client-address.ts'
import { createDispatch, type Dispatch, type Endpoint } from './dispatch.ts'
import { registerDocuments } from './documents.ts'
import { refusalOf } from './failures.ts'
import type { SignedRequest } from '../../merchants/request-counts/index.ts'
import type { RequestMeter } from './meter.ts'
import type { EdgeDeps, Passage } from './operation.ts'
import { checkSpelling } from './page-reading.ts'
import { registerPages, type HostedPages, type PageServer } from './page-server.ts'
import { createRateLimiter, type RateLimiter } from './rate-limit.ts'
import { noteRefused, type OnRefused } from './noting.ts'
import { invalidRequest, refusalBody, tooManyRequests, withoutSecrets } from './refusals.ts'
import { pathOf, splitTarget, unknownPath } from './target.ts'
import { createStreams, FILE_LIMITS, type FileLimits, type Streams } from './streams.ts'
import { createTurns, type Turns } from './turns.ts'
import { inUnit, isTracing, noteOrder } from '../../platform/traces/tracing.ts'

export interface HttpDeps extends Omit<EdgeDeps, 'limiter' | 'clientAddress'> {
  routes: readonly Route[]
  /** routes that need no signature */
  pages?: HostedPages
  log: Logger
  /** throws while the process can't serve */
  ready(): Promise<void>
  /** how many refusals with a reason a network address gets in a minute for requests without a valid signature */
  refusalsPerMinute?: number
  /** CIDR ranges of proxies whose X-Forwarded-For is trusted */
  trustedProxies?: readonly string[]
  /** called with every answer of an operation */
  meter?: Pick<RequestMeter, 'note'>
  /** called with every answer to a request with a valid signature; only changes memory */
  onSigned?: (request: SignedRequest) => void
  /** called with each refused operation of a known merchant */
  onRefused?: OnRefused
  /** the most open connections; further ones are closed at once */
  mostConnections?: number
  bodies?: BodyLimits
  files?: FileLimits
}

const REFUSALS_PER_MINUTE = 600
/** Time limits for slow senders. */
const TIMES = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 2_000,
}
const IDLE_SOCKET_MS = 60_000
const MOST_HEADER_BYTES = 16_384

/**
 * Creates the HTTP server of the merchant API, not listening yet. Signed operations are served directly from node:http,
 * because a signature covers the raw bytes; everything else is served by Fastify.
 */
export const createHttpServer = (deps: HttpDeps): FastifyInstance => {
  const clientAddress = createClientAddress(deps.trustedProxies ?? [])
  const edge: Edge = {
    deps,
    dispatch: createDispatch(deps.routes, {
      ...deps,
      limiter: createRateLimiter(),
      clientAddress,
      onFirstUse: oncePerKey(deps.onFirstUse),
    }),
    refused: createRateLimiter(),
    clientAddress,
    bodies: createBodyBudget(deps.bodies ?? BODY_LIMITS),
    newRequestId: createRequestIds(),
    newest: new WeakMap(),
    turn: createTurns(),
    streams: createStreams(deps.files ?? FILE_LIMITS),
    pages: undefined,
    closing: false,
  }
  const app = Fastify({
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MOST_HEADER_BYTES },
    exposeHeadRoutes: true,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    genReqId: edge.newRequestId,
    // Fastify's own handler would destroy the connection before its client has read the answer.
    clientErrorHandler: (error, socket) => {
      const pending = edge.newest.get(socket)
      // The bytes stand behind a request that is carried out: it gets its own answer, then the connection closes.
      if (pending !== undefined && pending.req.complete && !pending.writableEnded) pending.shouldKeepAlive = false
      else answerBrokenRequest(error, socket)
    },
    // The target has no readable path.
    frameworkErrors: (_error, request, reply) => refuseUnsigned(edge, request, reply, unknownPath(request.raw)),
    serverFactory: (unsigned) => listener(edge, unsigned),
    logger: false,
  })
  // Pages read bodies themselves: an acquirer's callback is accepted with any content type.
  for (const method of app.supportedMethods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  app.addHook('onRequest', async (request) => {
    checkProtocol(request.raw)
    checkSpelling(request)
  })
  app.setErrorHandler((error, request, reply) => refuseUnsigned(edge, request, reply, error))
  app.setNotFoundHandler(async (request, reply) => {
    const found = edge.dispatch(request.raw.method!, pathOf(request.raw.url!))
    if (found === undefined) throw unknownPath(request.raw)
    // A web form without a page in this build.
    reply.hijack()
    await serve(edge, found.endpoint, found.id, request.raw, reply.raw)
  })
  registerDocuments(app, deps.ready)
  edge.pages =
    deps.pages &&
    registerPages(app, {
      ...deps,
      pages: deps.pages,
      meter: deps.meter,
      clientAddress: edge.clientAddress,
      bodies: edge.bodies,
      files: edge.streams,
      isClosing: () => edge.closing,
    })
  app.addHook('preClose', async () => {
    edge.closing = true
    edge.pages?.endStreams()
  })
  return app
}

interface Edge {
  deps: HttpDeps
  dispatch: Dispatch
  /** limits refusals of requests without a valid signature, by network address */
  refused: RateLimiter
  clientAddress: ClientAddress
  bodies: BodyBudget
  newRequestId: () => string
  /** the response to the newest request of each connection */
  newest: WeakMap<Socket, ServerResponse>
  turn: Turns
  /** answers that are sent piece by piece */
  streams: Streams
  /** serves payment pages, if there are any */
  pages: PageServer | undefined
  /** whether the server is stopping: requests in progress are answered, then their connections close */
  closing: boolean
}

/** Makes short request ids: a random prefix of the process, then a counter. */
const createRequestIds = (): (() => string) => {
  const start = randomBytes(6).toString('hex')
  let count = 0
  return () => `${start}-${(count += 1).toString(36)}`
}

const oncePerKey = (onFirstUse: EdgeDeps['onFirstUse']): EdgeDeps['onFirstUse'] => {
  const notified = new WeakSet<MerchantKey>()
  return (merchant, key) => {
    if (notified.has(key)) return
    notified.add(key)
    onFirstUse(merchant, key)
  }
}

const listener = (edge: Edge, unsigned: (request: IncomingMessage, response: ServerResponse) => void): Server => {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    edge.newest.set(request.socket, response)
    const found = edge.dispatch(request.method!, pathOf(request.url!))
    if (found?.endpoint.operation.signed !== true) return unsigned(request, response)
    const work = (): Promise<void> => serve(edge, found.endpoint, found.id, request, response)
    const answered = isTracing() ? inUnit(unitOf(found.endpoint), work) : work()
    answered.catch((error: unknown) => {
      edge.deps.log.error({ err: error }, 'a request could not be answered')
      response.destroy()
    })
  }
  const server = createServer({ ...TIMES, maxHeaderSize: MOST_HEADER_BYTES, requireHostHeader: false }, answer)
  // By itself Node refuses such a request with an empty body.
  server.on('checkExpectation', answer)
  server.setTimeout(IDLE_SOCKET_MS)
  if (edge.deps.mostConnections !== undefined) server.maxConnections = edge.deps.mostConnections
  return server
}

const unitOf = ({ operation: { id, method, path } }: Endpoint): Parameters<typeof inUnit>[0] => ({
  name: id,
  kind: 'server',
  attributes: { 'http.request.method': method, 'http.route': path },
})

const serve = async (
  edge: Edge,
  { operation, readHeaders, handle }: Endpoint,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const startedAt = performance.now()
  const passage: Passage = {
    request,
    response,
    requestId: edge.newRequestId(),
    id,
    target: NO_TARGET,
    body: undefined,
    merchantId: null,
    keyId: null,
    rate: null,
  }
  const share = edge.bodies.share(() => subjectOf(edge.clientAddress(request)))
  try {
    checkProtocol(request)
    checkHost(request)
    passage.target = splitTarget(request.url!)
    const takesBody = operation.method === 'POST'
    if (takesBody) checkLength(request, requestLimits.bodyBytes)
    else checkNoBody(request)
    const headers = readHeaders(passage)
    if (takesBody) passage.body = await readBytes(request, requestLimits.bodyBytes, share)
    const later = edge.turn()
    if (later !== undefined) await later
    const answer = await handle(passage, headers)
    if (edge.closing) response.shouldKeepAlive = false
    const status = 'pieces' in answer ? 200 : answer.status
    if ('pieces' in answer)
      await edge.streams.send(passage, { merchantId: passage.merchantId!, isMember: false }, answer, () => edge.closing)
    else
      sendJson(passage, status, 'json' in answer ? answer.json : JSON.stringify(answer.body), { own: answer.headers })
    noteOrder(id.toLowerCase())
    const ms = elapsed(startedAt)
    const { merchantId, keyId } = passage
    noteAnswer(edge, { merchantId, keyId, operation: operation.id, ms }, status)
    // Successful requests are counted. A log line for each costs as much as its checks, so they are logged at `debug`
    // only.
    if (edge.deps.log.isLevelEnabled('debug')) {
      const { requestId } = passage
      edge.deps.log.debug({ requestId, merchantId, keyId, operation: operation.id, status, ms }, 'request')
    }
  } catch (error) {
    failOperation(edge, passage, error, {
      merchantId: passage.merchantId,
      keyId: passage.keyId,
      operation: operation.id,
      ms: elapsed(startedAt),
    })
  } finally {
    share.release()
  }
}

const NO_TARGET = { path: '', query: '' }
const elapsed = (startedAt: number): number => Math.round((performance.now() - startedAt) * 10) / 10

/**
 * Refuses a version of HTTP that is not ours, although the parser reads it (RFC 9112, 2.3); an expectation that is not
 * met (RFC 9110, 10.1.1); and two Host headers, because a proxy before us may read the other one (RFC 9112, 3.2).
 */
const checkProtocol = ({ rawHeaders, headers, httpVersionMajor, httpVersionMinor }: IncomingMessage): void => {
  if (httpVersionMajor !== 1 || httpVersionMinor > 1) throw refusal(invalidRequest, 'send the request as HTTP/1.1')
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    throw new ApiRefusal(417, invalidRequest.code, 'the only expectation that is met is 100-continue')
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') hosts += 1
  if (hosts > 1) throw refusal(invalidRequest, 'the Host header stands twice: send it once')
}

/** HTTP/1.1 requires a Host header (RFC 9112, 3.2). It is checked here, so that the refusal has our format. */
const checkHost = ({ headers, httpVersion }: IncomingMessage): void => {
  if (headers.host === undefined && httpVersion === '1.1') throw refusal(invalidRequest, 'send a Host header')
}

/** Refuses a GET with a body: an unread body would not be covered by the signature. */
const checkNoBody = ({ headers }: IncomingMessage): void => {
  const length = headers['content-length']
  if ((length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined) {
    throw refusal(invalidRequest, 'a GET request has no body: send its values in the query')
  }
}

interface Known {
  merchantId: string | null
  keyId: string | null
  operation: string
  ms: number
}

const noteAnswer = ({ deps }: Edge, { merchantId, keyId, operation, ms }: Known, status: number): void => {
  deps.meter?.note(operation, status, ms)
  if (merchantId !== null && keyId !== null) deps.onSigned?.({ merchantId, keyId, operation, status, ms })
}

/** Answers a failure of an operation with `{code, description}`. */
const failOperation = (edge: Edge, exchange: Exchange, error: unknown, known: Known): void => {
  const { refusal, ours } = refusalOf(error)
  const sent = ours || known.merchantId !== null ? refusal : limited(edge, exchange.request, refusal)
  if (edge.closing) exchange.response.shouldKeepAlive = false
  sendRefusal(exchange, sent)
  noteAnswer(edge, known, sent.status)
  logFailure(edge, exchange, { refusal: sent, ours, error }, known)
  const { onRefused, ...deps } = edge.deps
  if (!onRefused) return
  const refused = { ...known, request: exchange.request, requestId: exchange.requestId, refusal: sent }
  noteRefused({ ...deps, clientAddress: edge.clientAddress, onRefused }, refused).catch((err: unknown) =>
    deps.log.warn({ err }, 'a refused request was not recorded'),
  )
}

/**
 * Answers a request that is neither page nor operation: with a page to a browser, with `{code, description}` otherwise.
 */
const refuseUnsigned = (edge: Edge, request: FastifyRequest, reply: FastifyReply, error: unknown): void => {
  const { refusal, ours } = refusalOf(error)
  const sent = ours ? refusal : limited(edge, request.raw, refusal)
  const exchange = { request: request.raw, response: reply.raw, requestId: request.id, rate: null }
  if (edge.closing) reply.raw.shouldKeepAlive = false
  if (ours || !edge.pages?.takeRefusal(request, reply, sent)) {
    reply.hijack()
    sendRefusal(exchange, sent)
  }
  logFailure(edge, exchange, { refusal: sent, ours, error }, undefined)
}

/** Limits the refusals of a network address that sends no valid signature. */
const limited = (edge: Edge, request: IncomingMessage, refused: ApiRefusal): ApiRefusal => {
  const { deps } = edge
  const most = deps.refusalsPerMinute ?? REFUSALS_PER_MINUTE
  const left = edge.refused.take(subjectOf(edge.clientAddress(request)), most, deps.clock.now())
  return left < 0
    ? refusal(tooManyRequests, `too many refused requests: try again in ${-left} s`, { retryAfterSeconds: -left })
    : refused
}

const logFailure = (
  { deps }: Edge,
  { request, requestId }: Exchange,
  { refusal, ours, error }: { refusal: ApiRefusal; ours: boolean; error: unknown },
  known: Known | undefined,
): void => {
  const line = {
    requestId,
    ...known,
    status: refusal.status,
    code: refusal.code,
    method: request.method,
    target: withoutSecrets(request.url ?? ''),
  }
  if (ours) deps.log.error({ ...line, err: error }, 'a request failed')
  else deps.log.info({ ...line, why: withoutSecrets(refusal.message) }, 'request refused')
}

const STATUS_LINES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/**
 * Answers malformed HTTP in the same format, and ends the connection. Further data of its client is read and dropped
 * for as long as a request may take: bytes that arrive at a closed connection reset it, and its client may lose the
 * answer (RFC 9112, 9.6).
 */
const answerBrokenRequest = (error: Error & { code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || socket.destroyed) {
    socket.destroy()
    return
  }
  // It is answered. The parser reports the same error for all further bytes.
  if (!socket.writable) return
  const statusLine = STATUS_LINES[error.code ?? ''] ?? '400 Bad Request'
  const body = refusalBody(
    refusal(invalidRequest, 'the request is not well-formed HTTP, too slow, or its headers are too large'),
  )
  socket.end(
    `HTTP/1.1 ${statusLine}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
  const closing = setTimeout(() => socket.destroy(), TIMES.requestTimeout)
  socket.once('close', () => clearTimeout(closing))
}

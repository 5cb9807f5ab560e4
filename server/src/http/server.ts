import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { operations, requestLimits, type Operation } from '@bursar/contract'
import { openApiDocument } from '@bursar/contract/openapi'
import { sqlState } from '../db/index.ts'
import { ApiRefusal, type Route } from '../platform/route.ts'
import { createOperation, NO_BODY, type EdgeDeps, type OperationHandler } from './operation.ts'
import { createRateLimiter } from './rate-limit.ts'
import { referencePage } from './reference.ts'
import { bodyTooLarge, invalidRequest, notFound, refusalBody, refuse, tooManyRequests, unavailable } from './refusals.ts'
import { splitTarget } from './target.ts'

export interface HttpDeps extends Omit<EdgeDeps, 'limiter'> {
  routes: readonly Route[]
  log: Logger
  /** throws while the process can't serve */
  ready(): Promise<void>
  /** refused requests of one network address that are answered in a minute */
  refusalsPerMinute?: number
}

const JSON_TYPE = 'application/json; charset=utf-8'
const REFUSALS_PER_MINUTE = 600

/** The merchant API as an HTTP server. Listens when told to. */
export const createHttpServer = (deps: HttpDeps): FastifyInstance => {
  const app = Fastify({
    bodyLimit: requestLimits.bodyBytes,
    exposeHeadRoutes: false,
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: 128 },
    genReqId: createRequestIds(),
    logger: false,
  })
  // The bytes are what is signed: they are kept as they came, whatever their content type says.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  const failures = createRateLimiter()
  const context: Context = { deps, failures, edge: { ...deps, limiter: createRateLimiter() } }
  app.setErrorHandler((error, request, reply) => answerError(context, error, request, reply))
  app.setNotFoundHandler((request, reply) => answerError(context, unknownPath(request), request, reply))
  const routes = new Map(deps.routes.map((route) => [route.operation, route]))
  for (const operation of operations) register(app, operation, createOperation(operation, routes.get(operation.id), context.edge))
  const unknown = deps.routes.filter((route) => !operations.some((operation) => operation.id === route.operation))
  if (unknown.length > 0) throw new Error(`no such operation: ${unknown.map((route) => route.operation).join(', ')}`)
  registerPages(app, deps)
  return app
}

interface Context {
  deps: HttpDeps
  edge: EdgeDeps
  failures: ReturnType<typeof createRateLimiter>
}

/** A short name for each request: a random start for the process, then a count. */
const createRequestIds = (): (() => string) => {
  const start = randomBytes(6).toString('hex')
  let count = 0
  return () => `${start}-${(count += 1).toString(36)}`
}

const register = (app: FastifyInstance, operation: Operation, handle: OperationHandler): void => {
  for (const url of [operation.path, ...operation.aliases.map((alias) => alias.path)]) {
    app.route({
      method: operation.method,
      url,
      handler: async (request, reply) => {
        if (request.headers['content-encoding'] !== undefined) {
          throw refuse(invalidRequest, 'send the body without Content-Encoding')
        }
        const answer = await handle({
          message: request.raw,
          method: request.raw.method!,
          target: request.raw.url!,
          params: request.params as Record<string, string>,
          body: request.body instanceof Uint8Array ? request.body : bodyOfGet(request),
          requestId: request.id,
        })
        return send(reply, answer.status, 'json' in answer ? answer.json : JSON.stringify(answer.body), request.id)
      },
    })
  }
}

/** Fastify reads no body of a GET: that there is one is all that needs to be known. */
const bodyOfGet = ({ raw }: FastifyRequest): Uint8Array => {
  if (raw.method !== 'GET') return NO_BODY
  const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers
  if ((length !== undefined && length !== '0') || encoding !== undefined) throw refuse(invalidRequest, 'a GET request has no body')
  return NO_BODY
}

const send = (reply: FastifyReply, status: number, json: string, requestId: string): FastifyReply =>
  reply
    .code(status)
    .headers({ 'content-type': JSON_TYPE, 'x-request-id': requestId, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    .send(json)

/** Every failure becomes `{code, description}`; what is not ours to tell becomes 503 with the request's id in the log. */
const answerError = (context: Context, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  let refusal = refusalOf(error)
  if (!refusal) {
    const text = sqlState(error)?.startsWith('22') ? 'a value can not be stored' : undefined
    context.deps.log.error({ err: error, requestId: request.id, url: request.raw.url }, 'a request failed')
    refusal = text ? refuse(invalidRequest, text) : refuse(unavailable, 'temporarily unavailable: try again', { retryAfterSeconds: 1 })
  }
  const wait = refusal.status === 401 || refusal.status === 404
    ? context.failures.take(request.ip, context.deps.refusalsPerMinute ?? REFUSALS_PER_MINUTE, context.deps.clock.now())
    : 0
  if (wait > 0) refusal = refuse(tooManyRequests, `too many refused requests: try again in ${wait} s`, { retryAfterSeconds: wait })
  if (refusal.retryAfterSeconds !== undefined) void reply.header('retry-after', String(refusal.retryAfterSeconds))
  context.deps.log.debug({ requestId: request.id, status: refusal.status, code: refusal.code, url: request.raw.url }, 'refused')
  return send(reply, refusal.status, refusalBody(refusal, request.id), request.id)
}

const refusalOf = (error: unknown): ApiRefusal | undefined => {
  if (error instanceof ApiRefusal) return error
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return refuse(bodyTooLarge, `the body is over ${requestLimits.bodyBytes} bytes`)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return refuse(invalidRequest, 'the request is malformed')
  return undefined
}

const unknownPath = (request: FastifyRequest): ApiRefusal => {
  try {
    splitTarget(request.raw.url ?? '')
  } catch (error) {
    return error as ApiRefusal
  }
  return refuse(notFound, `there is no ${request.method} ${request.raw.url?.split('?')[0]}: see /docs`)
}

const registerPages = (app: FastifyInstance, { ready }: HttpDeps): void => {
  const document = JSON.stringify(openApiDocument())
  const page = referencePage()
  app.get('/openapi.json', (request, reply) => send(reply, 200, document, request.id))
  app.get('/docs', (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; style-src 'sha256-" + page.styleHash + "'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      .send(page.html),
  )
  app.get('/health/live', (request, reply) => send(reply, 200, '{"status":"live"}', request.id))
  app.get('/health/ready', async (request, reply) => {
    try {
      await ready()
      return await send(reply, 200, '{"status":"ready"}', request.id)
    } catch {
      return send(reply, 503, refusalBody(refuse(unavailable, 'not ready: the database does not answer'), request.id), request.id)
    }
  })
}

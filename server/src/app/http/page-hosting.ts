import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { PageAnswer, PageRequest, PageRoute } from '../../platform/api/page.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import { readBytes } from './body.ts'
import type { BodyBudget, BodyShare } from './body-budget.ts'
import { subjectOf, type ClientAddress } from './client-address.ts'
import { refusalOf } from './failures.ts'
import type { RequestMeter } from './meter.ts'
import { sendWhole, type PageExchange } from './page-answering.ts'
import { createPageFinder, type FoundPage } from './page-finding.ts'
import { createPageStreams, STREAM_LIMITS, type StreamLimits } from './page-streams.ts'
import { createRateLimiter } from './rate-limit.ts'
import { invalidRequest, refusalBody, refuse, tooManyRequests } from './refusals.ts'
import { readPageQuery } from './target.ts'

/** Why a page can't be shown, in words for its reader. */
interface PageProblem {
  status: number
  /** what to change; in English */
  description: string
  retryAfterSeconds: number | undefined
  requestId: string
}

/** What is served without a signature. */
export interface HostedPages {
  routes: readonly PageRoute[]
  /** a problem as a page in the reader's language */
  problem(
    problem: PageProblem,
    headers: Readonly<Record<string, string>>,
  ): { headers: Readonly<Record<string, string>>; body: string }
  /** of one network address to one route, unless the route says otherwise */
  postsPerMinute: number
  getsPerMinute: number
  streams?: StreamLimits
  /** how long a body may take to arrive, ms */
  bodyMs?: number
}

export interface PageHostDeps {
  pages: HostedPages
  clock: Pick<Clock, 'now'>
  log: Logger
  clientAddress: ClientAddress
  bodies: BodyBudget
  newRequestId: () => string
  meter: Pick<RequestMeter, 'note'> | undefined
  isClosing(): boolean
}

export interface PageHost {
  /** Takes a request when a page has its path. */
  take(request: IncomingMessage, response: ServerResponse, path: string): boolean
  /** Answers a browser with a readable page; false for everybody else. */
  takeRefusal(exchange: PageExchange, refusal: ApiRefusal): boolean
  /** how many answers go on */
  openStreams(): number
  endStreams(): void
}

const BODY_MS = 10_000

/** Serves pages: to payers' browsers, web forms and acquirers, none of which sign anything. */
export const createPageHost = (deps: PageHostDeps): PageHost => {
  const find = createPageFinder(deps.pages.routes)
  const limiter = createRateLimiter()
  const streams = createPageStreams(deps.pages.streams ?? STREAM_LIMITS)

  const answer = async (exchange: PageExchange, { route, params }: FoundPage): Promise<number> => {
    const subject = subjectOf(deps.clientAddress(exchange.request))
    limit(route, subject)
    const answered = await handled(
      exchange,
      { route, params },
      deps.bodies.share(() => subject),
    )
    if (deps.isClosing()) exchange.response.shouldKeepAlive = false
    if ('stream' in answered) await streams.serve(exchange, subject, answered)
    else sendWhole(exchange, answered)
    return answered.status
  }

  const handled = async (
    exchange: PageExchange,
    { route, params }: FoundPage,
    share: BodyShare,
  ): Promise<PageAnswer> => {
    try {
      return await route.handle(await handOver(exchange, route, params, { share, ms: deps.pages.bodyMs ?? BODY_MS }))
    } finally {
      share.release()
    }
  }

  const limit = (route: PageRoute, subject: string): void => {
    const perMinute =
      route.perMinute ?? (route.method === 'POST' ? deps.pages.postsPerMinute : deps.pages.getsPerMinute)
    const left = limiter.take(`${route.method} ${route.path} ${subject}`, perMinute, deps.clock.now())
    if (left < 0)
      throw refuse(tooManyRequests, `too many requests: try again in ${-left} s`, { retryAfterSeconds: -left })
  }

  const fail = (exchange: PageExchange, error: unknown, route: string): number => {
    const { refusal, ours } = refusalOf(error)
    const line = { requestId: exchange.requestId, route, status: refusal.status }
    if (ours) deps.log.error({ ...line, err: error }, 'a page failed')
    else deps.log.info({ ...line, why: refusal.message }, 'page refused')
    if (exchange.response.headersSent) exchange.response.destroy()
    else refuseReadably(deps.pages, exchange, refusal)
    return refusal.status
  }

  const serve = async (exchange: PageExchange, found: FoundPage): Promise<void> => {
    const startedAt = performance.now()
    const status = await answer(exchange, found).catch((error: unknown) => fail(exchange, error, found.route.path))
    deps.meter?.note(`${found.route.method} ${found.route.path}`, status, performance.now() - startedAt)
  }

  return {
    take: (request, response, path) => {
      const found = find(request.method!, path)
      if (found === undefined) return false
      const exchange = { request, response, requestId: deps.newRequestId() }
      if ('allowed' in found) {
        response.setHeader('allow', found.allowed.join(', '))
        fail(exchange, new ApiRefusal(405, invalidRequest.code, `nothing answers ${request.method} here`), path)
      } else {
        serve(exchange, found).catch((error: unknown) => {
          deps.log.error({ err: error }, 'a page could not be answered')
          response.destroy()
        })
      }
      return true
    },
    takeRefusal: (exchange, refusal) => {
      if (!readsPages(exchange.request)) return false
      refuseReadably(deps.pages, exchange, refusal)
      return true
    },
    openStreams: streams.count,
    endStreams: streams.endAll,
  }
}

interface BodyReading {
  share: BodyShare
  /** the body has to arrive within */
  ms: number
}

const handOver = async (
  { request, requestId }: PageExchange,
  route: PageRoute,
  params: FoundPage['params'],
  reading: BodyReading,
): Promise<PageRequest> => {
  if (request.headers.host === undefined && request.httpVersion === '1.1')
    throw refuse(invalidRequest, 'send a Host header')
  const mark = request.url!.indexOf('?')
  const query = mark < 0 ? {} : readPageQuery(request.url!.slice(mark + 1))
  const body = route.method === 'POST' ? await readInTime(request, route.mostBytes, reading) : readNone(request)
  return { method: route.method, url: request.url!, params, query, headers: headersOf(request), body, requestId }
}

const readNone = ({ headers }: IncomingMessage): Buffer => {
  const length = headers['content-length']
  if ((length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined)
    throw refuse(invalidRequest, 'a GET request has no body')
  return Buffer.alloc(0)
}

const readInTime = async (request: IncomingMessage, most: number, { share, ms }: BodyReading): Promise<Buffer> => {
  if (request.headers['content-encoding'] !== undefined)
    throw refuse(invalidRequest, 'send the body without Content-Encoding')
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ApiRefusal(408, invalidRequest.code, 'the body took too long to arrive')), ms)
  })
  try {
    return (await Promise.race([readBytes(request, most, share), late])) ?? Buffer.alloc(0)
  } finally {
    clearTimeout(timer)
  }
}

/** A name that stands twice has its values joined, as RFC 9110 reads it. */
const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )

const readsPages = ({ headers }: IncomingMessage): boolean => /\btext\/html\b/i.test(headers.accept ?? '')
const wantsJson = (request: IncomingMessage): boolean =>
  !readsPages(request) && /\bapplication\/json\b/i.test(request.headers.accept ?? '')

/** As a page, unless JSON is asked for (`contract.md` 18, row 15). */
const refuseReadably = (pages: HostedPages, exchange: PageExchange, refusal: ApiRefusal): void => {
  const { request, requestId } = exchange
  const retry: Record<string, string> =
    refusal.retryAfterSeconds === undefined ? {} : { 'retry-after': String(refusal.retryAfterSeconds) }
  if (wantsJson(request)) {
    sendWhole(exchange, json(refusal, requestId, retry))
    return
  }
  const { status, message: description, retryAfterSeconds } = refusal
  const page = pages.problem({ status, description, retryAfterSeconds, requestId }, headersOf(request))
  sendWhole(exchange, { status, headers: { ...page.headers, ...retry }, body: page.body })
}

const json = (
  refusal: ApiRefusal,
  requestId: string,
  headers: Record<string, string>,
): Extract<PageAnswer, { body: unknown }> => ({
  status: refusal.status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: refusalBody(refusal, requestId),
})

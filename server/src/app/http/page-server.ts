import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { FileAnswer, PageAnswer, PageRoute } from '../../platform/api/page.ts'
import { ApiRefusal, refusal } from '../../platform/api/route.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { BodyBudget } from './body-budget.ts'
import { subjectOf, type ClientAddress } from './client-address.ts'
import { refusalOf } from './failures.ts'
import type { RequestMeter } from './meter.ts'
import { sendWhole } from './page-answering.ts'
import { headersOf, readPageRequest } from './page-reading.ts'
import { createPageStreams, STREAM_LIMITS, type StreamLimits } from './page-streams.ts'
import { createRateLimiter } from './rate-limit.ts'
import type { Streams } from './streams.ts'
import { invalidRequest, refusalBody, tooManyRequests } from './refusals.ts'

/** Why a page can't be shown, in words for the reader. */
interface PageProblem {
  status: number
  /** what to change; in English */
  description: string
  retryAfterSeconds: number | undefined
  requestId: string
}

/** The routes that need no signature. */
export interface HostedPages {
  routes: readonly PageRoute[]
  /** renders a problem as a page in the reader's language */
  problem(
    problem: PageProblem,
    headers: Readonly<Record<string, string>>,
  ): { headers: Readonly<Record<string, string>>; body: string }
  /** limit per network address and route, unless the route has its own */
  postsPerMinute: number
  getsPerMinute: number
  streams?: StreamLimits
  /** time limit for receiving a body, ms */
  bodyMs?: number
}

export interface PageDeps {
  pages: HostedPages
  clock: Pick<Clock, 'now'>
  log: Logger
  clientAddress: ClientAddress
  bodies: BodyBudget
  meter: Pick<RequestMeter, 'note'> | undefined
  /** sends files, together with those of the API */
  files: Streams
  isClosing(): boolean
}

export interface PageServer {
  /** Answers a browser with a readable page; returns false for every other client. */
  takeRefusal(request: FastifyRequest, reply: FastifyReply, refusal: ApiRefusal): boolean
  endStreams(): void
}

const BODY_MS = 10_000

/** Registers the routes that need no signature: payment pages, web forms, acquirers' callbacks. */
export const registerPages = (app: FastifyInstance, deps: PageDeps): PageServer => {
  const { pages } = deps
  const limiter = createRateLimiter()
  const streams = createPageStreams(pages.streams ?? STREAM_LIMITS)

  const limit = ({ method, path, perMinute }: PageRoute, subject: string): void => {
    const most = perMinute ?? (method === 'POST' ? pages.postsPerMinute : pages.getsPerMinute)
    const left = limiter.take(`${method} ${path} ${subject}`, most, deps.clock.now())
    if (left < 0)
      throw refusal(tooManyRequests, `too many requests: try again in ${-left} s`, { retryAfterSeconds: -left })
  }

  const handled = async (request: FastifyRequest, route: PageRoute, subject: string): Promise<PageAnswer> => {
    const share = deps.bodies.share(() => subject)
    try {
      return await route.handle(await readPageRequest(request, route, { share, ms: pages.bodyMs ?? BODY_MS }))
    } finally {
      share.release()
    }
  }

  const sendFile = async ({ raw, id }: FastifyRequest, reply: FastifyReply, file: FileAnswer): Promise<void> => {
    const exchange = { request: raw, response: reply.raw, requestId: id, rate: null }
    try {
      await deps.files.send(exchange, { merchantId: file.merchantId, isMember: true }, file, deps.isClosing)
    } finally {
      // A file that is refused before its first byte is answered by a page.
      if (reply.raw.headersSent) reply.hijack()
    }
  }

  const answer = async (request: FastifyRequest, reply: FastifyReply, route: PageRoute): Promise<number> => {
    const subject = subjectOf(deps.clientAddress(request.raw))
    limit(route, subject)
    const answered = await handled(request, route, subject)
    if (deps.isClosing()) reply.raw.shouldKeepAlive = false
    if ('pieces' in answered) {
      await sendFile(request, reply, answered)
      return answered.status
    }
    if ('stream' in answered) {
      const run = streams.admit(subject)
      reply.hijack()
      await run(request, reply.raw, answered)
    } else sendWhole(request, reply, answered)
    return answered.status
  }

  const fail = (request: FastifyRequest, reply: FastifyReply, path: string, error: unknown): number => {
    const { refusal, ours } = refusalOf(error)
    const line = { requestId: request.id, route: path, status: refusal.status }
    if (ours) deps.log.error({ ...line, err: error }, 'a page failed')
    else deps.log.info({ ...line, why: refusal.message }, 'page refused')
    if (reply.sent || reply.raw.headersSent) reply.raw.destroy()
    else refusePage(pages, request, reply, refusal)
    return refusal.status
  }

  for (const route of pages.routes) {
    app.route({
      method: route.method,
      url: urlOf(route),
      handler: async (request, reply) => {
        const startedAt = performance.now()
        const status = await answer(request, reply, route).catch((error: unknown) =>
          fail(request, reply, route.path, error),
        )
        deps.meter?.note(`${route.method} ${route.path}`, status, performance.now() - startedAt)
        return reply
      },
    })
  }
  for (const [url, allowed] of methodsByUrl(pages.routes)) {
    app.route({
      method: app.supportedMethods.filter((method) => !allowed.includes(method)),
      url,
      handler: async (request, reply) => {
        reply.header('allow', allowed.join(', '))
        const why = `nothing answers ${request.method} here`
        fail(request, reply, url, new ApiRefusal(405, invalidRequest.code, why))
        return reply
      },
    })
  }
  return {
    takeRefusal: (request, reply, refusal) => {
      if (!readsPages(request.raw)) return false
      refusePage(pages, request, reply, refusal)
      return true
    },
    endStreams: streams.endAll,
  }
}

/** Converts `/invoices/{id}` to Fastify's form. */
const urlOf = ({ path }: PageRoute): string => path.replaceAll(/\{([^}]*)\}/g, ':$1')

const methodsByUrl = (routes: readonly PageRoute[]): Map<string, string[]> => {
  const found = new Map<string, string[]>()
  for (const route of routes) {
    const methods = route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]
    found.set(urlOf(route), [...(found.get(urlOf(route)) ?? []), ...methods])
  }
  return found
}

const readsPages = ({ headers }: IncomingMessage): boolean => /\btext\/html\b/i.test(headers.accept ?? '')
const wantsJson = (request: IncomingMessage): boolean =>
  !readsPages(request) && /\bapplication\/json\b/i.test(request.headers.accept ?? '')

/** Refuses with a page, unless JSON was requested (`contract.md` 18, row 15). */
const refusePage = (pages: HostedPages, request: FastifyRequest, reply: FastifyReply, refusal: ApiRefusal): void => {
  const { status, message: description, retryAfterSeconds } = refusal
  const requestId = request.id
  const retry: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  if (wantsJson(request.raw)) {
    const headers = { 'content-type': 'application/json; charset=utf-8', ...retry }
    sendWhole(request, reply, { status, headers, body: refusalBody(refusal, requestId) })
    return
  }
  const page = pages.problem({ status, description, retryAfterSeconds, requestId }, headersOf(request))
  sendWhole(request, reply, { status, headers: { ...page.headers, ...retry }, body: page.body })
}

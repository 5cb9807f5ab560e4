import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openApiDocument } from '@bursar/contract/openapi'
import { sendJson, sendPage, sendRefusal, type Exchange } from './answering.ts'
import { referencePage } from './reference.ts'
import { refuse, unavailable } from './refusals.ts'

/** One look at the database serves everyone who asks within this time, so that asking can't be made to hurt. */
const READY_KEPT_MS = 1_000

/** What is served beside the operations: the contract as data and to read, and health. */
export const registerPages = (app: FastifyInstance, ready: () => Promise<void>): void => {
  const document = JSON.stringify(openApiDocument())
  const { html, styleHash } = referencePage()
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`
  const isReady = shared(ready)
  app.get('/openapi.json', (request, reply) => sendJson(exchangeOf(request, reply), 200, document))
  app.get('/docs', (request, reply) => sendPage(exchangeOf(request, reply), 200, html, policy))
  app.get('/health/live', (request, reply) => sendJson(exchangeOf(request, reply), 200, '{"status":"live"}'))
  app.get('/health/ready', async (request, reply) => {
    const exchange = exchangeOf(request, reply)
    try {
      await isReady()
      sendJson(exchange, 200, '{"status":"ready"}')
    } catch {
      sendRefusal(
        exchange,
        refuse(unavailable, 'not ready: the database does not answer, or is not of this build', {
          retryAfterSeconds: 1,
        }),
      )
    }
  })
}

/** The exchange of a request that is answered by us and not by Fastify. */
export const exchangeOf = (request: FastifyRequest, reply: FastifyReply): Exchange => {
  reply.hijack()
  return { request: request.raw, response: reply.raw, requestId: request.id, rate: null }
}

const shared = (look: () => Promise<void>): (() => Promise<void>) => {
  let kept: { at: number; looking: Promise<void> } | undefined
  return () => {
    const at = performance.now()
    if (kept === undefined || at - kept.at > READY_KEPT_MS) kept = { at, looking: look() }
    return kept.looking
  }
}

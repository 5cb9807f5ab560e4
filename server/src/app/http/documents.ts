import { openApiDocument } from '@bursar/contract/openapi'
import type { FastifyInstance } from 'fastify'
import { refusal } from '../../platform/api/route.ts'
import { sendWhole, type WholeAnswer } from './page-answering.ts'
import { referencePage } from './reference.ts'
import { refusalBody, unavailable } from './refusals.ts'

/** One database check answers all requests within this time, so that frequent health requests cause no load. */
const READY_CACHED_MS = 1_000
const RETRY_SECONDS = 1

/** Registers the documents besides operations and pages: the contract as data and as a page, and health. */
export const registerDocuments = (app: FastifyInstance, ready: () => Promise<void>): void => {
  const document = json(200, JSON.stringify(openApiDocument()))
  const { html, styleHash } = referencePage()
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`
  const reference: WholeAnswer = {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
    body: html,
  }
  const isReady = shared(ready)
  const readiness = (requestId: string): Promise<WholeAnswer> =>
    isReady().then(
      () => json(200, '{"status":"ready"}'),
      () => {
        const refused = refusal(unavailable, 'not ready: the database does not answer, or is not of this build')
        return json(refused.status, refusalBody(refused, requestId), { 'retry-after': String(RETRY_SECONDS) })
      },
    )
  app.get('/openapi.json', async (request, reply) => sendWhole(request, reply, document))
  app.get('/docs', async (request, reply) => sendWhole(request, reply, reference))
  app.get('/health/live', async (request, reply) => sendWhole(request, reply, json(200, '{"status":"live"}')))
  app.get('/health/ready', async (request, reply) => sendWhole(request, reply, await readiness(request.id)))
}

const json = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): WholeAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body,
})

const shared = (look: () => Promise<void>): (() => Promise<void>) => {
  let cached: { at: number; looking: Promise<void> } | undefined
  return () => {
    const at = performance.now()
    if (cached === undefined || at - cached.at > READY_CACHED_MS) cached = { at, looking: look() }
    return cached.looking
  }
}

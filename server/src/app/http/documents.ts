import { openApiDocument } from '@bursar/contract/openapi'
import type { PageAnswer, PageRoute } from '../../platform/api/page.ts'
import { referencePage } from './reference.ts'
import { refusalBody, refuse, unavailable } from './refusals.ts'

/** One look at the database serves everyone who asks within this time, so that asking can't be made to hurt. */
const READY_KEPT_MS = 1_000
const RETRY_SECONDS = 1

/** What is served beside operations and pages: the contract as data and to read, and health. */
export const documentRoutes = (ready: () => Promise<void>): PageRoute[] => {
  const document = JSON.stringify(openApiDocument())
  const { html, styleHash } = referencePage()
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`
  const isReady = shared(ready)
  return [
    route('/openapi.json', async () => json(200, document)),
    route('/docs', async () => ({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
      body: html,
    })),
    route('/health/live', async () => json(200, '{"status":"live"}')),
    route('/health/ready', async ({ requestId }) => {
      try {
        await isReady()
        return json(200, '{"status":"ready"}')
      } catch {
        const refusal = refuse(unavailable, 'not ready: the database does not answer, or is not of this build', {
          retryAfterSeconds: RETRY_SECONDS,
        })
        return json(refusal.status, refusalBody(refusal, requestId), { 'retry-after': String(RETRY_SECONDS) })
      }
    }),
  ]
}

const route = (path: string, handle: PageRoute['handle']): PageRoute => ({
  method: 'GET',
  path,
  mostBytes: 0,
  perMinute: Number.POSITIVE_INFINITY,
  handle,
})

const json = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): PageAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body,
})

const shared = (look: () => Promise<void>): (() => Promise<void>) => {
  let kept: { at: number; looking: Promise<void> } | undefined
  return () => {
    const at = performance.now()
    if (kept === undefined || at - kept.at > READY_KEPT_MS) kept = { at, looking: look() }
    return kept.looking
  }
}

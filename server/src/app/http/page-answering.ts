import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { responseHeaders } from '@bursar/contract'
import type { PageAnswer } from '../../platform/api/page.ts'

/** What every page says unless it says otherwise itself. */
const STANDARD: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-resource-policy': 'same-origin',
}
const COMPRESSED = /^(text\/|application\/json|image\/svg)/
/** Below this a header costs what compression saves. */
const WORTH_COMPRESSING = 800

export interface PageExchange {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
}

/** Writes a whole answer; to a HEAD, everything but its body. Throws for a header that can't be sent. */
export const sendWhole = (
  { request, response, requestId }: PageExchange,
  answer: Extract<PageAnswer, { body: unknown }>,
): void => {
  if (response.headersSent || response.destroyed) return
  const headers: Record<string, string> = { ...STANDARD, ...answer.headers, [responseHeaders.requestId]: requestId }
  let body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  if (
    body.length >= WORTH_COMPRESSING &&
    COMPRESSED.test(headers['content-type'] ?? '') &&
    headers['content-encoding'] === undefined
  ) {
    headers['vary'] = headers['vary'] === undefined ? 'accept-encoding' : `${headers['vary']}, accept-encoding`
    const encoding = encodingOf(request)
    if (encoding !== undefined) {
      headers['content-encoding'] = encoding
      body = encoding === 'br' ? brotliCompressSync(body, BROTLI) : gzipSync(body)
    }
  }
  if (hasBody(answer.status)) headers['content-length'] = String(body.length)
  if (!request.complete) headers['connection'] = 'close'
  response.writeHead(answer.status, headers)
  response.end(request.method === 'HEAD' || !hasBody(answer.status) ? undefined : body)
}

const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
}

/** RFC 9110: these have none, and say no length. */
const hasBody = (status: number): boolean => status >= 200 && status !== 204 && status !== 304

/** The best encoding that is named without a weight of zero. */
const encodingOf = ({ headers }: IncomingMessage): 'br' | 'gzip' | undefined => {
  const accepted = headers['accept-encoding']
  if (typeof accepted !== 'string') return undefined
  const named = accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*/))
  const wants = (name: string): boolean =>
    named.some(([one, weight]) => one === name && !/^q=0(\.0*)?$/.test(weight ?? ''))
  return wants('br') ? 'br' : wants('gzip') ? 'gzip' : undefined
}

/** The headers of an answer that goes on. */
export const streamHeaders = (answer: PageAnswer, requestId: string): Record<string, string> => ({
  ...STANDARD,
  ...answer.headers,
  // A proxy that collects an answer before it hands it on would hand on nothing.
  'x-accel-buffering': 'no',
  [responseHeaders.requestId]: requestId,
})

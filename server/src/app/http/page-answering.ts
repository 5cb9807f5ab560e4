import { validateHeaderValue, type IncomingMessage } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
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

export type WholeAnswer = Extract<PageAnswer, { body: unknown }>

/** Sends a whole answer. Throws for a header that can't be sent. */
export const sendWhole = ({ raw, id }: FastifyRequest, reply: FastifyReply, answer: WholeAnswer): FastifyReply => {
  const headers: Record<string, string> = { ...STANDARD, ...answer.headers, [responseHeaders.requestId]: id }
  let body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  if (
    body.length >= WORTH_COMPRESSING &&
    COMPRESSED.test(headers['content-type'] ?? '') &&
    headers['content-encoding'] === undefined
  ) {
    headers['vary'] = headers['vary'] === undefined ? 'accept-encoding' : `${headers['vary']}, accept-encoding`
    const encoding = encodingOf(raw)
    if (encoding !== undefined) {
      headers['content-encoding'] = encoding
      body = encoding === 'br' ? brotliCompressSync(body, BROTLI) : gzipSync(body)
    }
  }
  if (!raw.complete) headers['connection'] = 'close'
  // Fastify's own failure at such a header would leave the request without an answer.
  for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value)
  return reply
    .code(answer.status)
    .headers(headers)
    .send(body.length === 0 ? undefined : body)
}

const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
}

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

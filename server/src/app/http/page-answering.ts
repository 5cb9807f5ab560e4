import { validateHeaderValue, type IncomingMessage } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { responseHeaders } from '@bursar/contract'
import type { PageAnswer } from '../../platform/api/page.ts'

/** Headers of every page, unless the page overrides them. */
const STANDARD: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-resource-policy': 'same-origin',
}
const COMPRESSED = /^(text\/|application\/json|image\/svg)/
/** For a smaller body, the header costs as many bytes as compression saves. */
const WORTH_COMPRESSING = 800

export type WholeAnswer = Extract<PageAnswer, { body: unknown }>

/** Sends a complete answer. Throws for a header that can't be sent. */
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
  // If Fastify failed at such a header, the request would get no answer.
  for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value)
  return reply
    .code(answer.status)
    .headers(headers)
    .send(body.length === 0 ? undefined : body)
}

const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
}

/** The best encoding that the client accepts with a weight above zero. */
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

/** The headers of a streamed answer. */
export const streamHeaders = (answer: Pick<WholeAnswer, 'headers'>, requestId: string): Record<string, string> => ({
  ...STANDARD,
  ...answer.headers,
  // A buffering proxy would never forward a stream.
  'x-accel-buffering': 'no',
  [responseHeaders.requestId]: requestId,
})

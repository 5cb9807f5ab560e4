import type { IncomingMessage, ServerResponse } from 'node:http'
import { responseHeaders } from '@bursar/contract'
import type { ApiRefusal } from '../../platform/api/route.ts'
import { refusalBody } from './refusals.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** Headers of every answer: no caching, and no content sniffing. */
const ALWAYS = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff']
/** Data must not be rendered as a page. */
const NO_PAGE = ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"]

/** The connection of an answer, and the figures for its headers. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  rate: { left: number; perMinute: number } | null
}

export const sendJson = (
  exchange: Exchange,
  status: number,
  json: string,
  {
    retryAfterSeconds,
    own = {},
  }: { retryAfterSeconds?: number | undefined; own?: Readonly<Record<string, string>> | undefined } = {},
): void => {
  const headers = ['content-type', JSON_TYPE, ...NO_PAGE, ...Object.entries(own).flat(), ...rateHeaders(exchange)]
  if (retryAfterSeconds !== undefined) headers.push(responseHeaders.retryAfter, String(retryAfterSeconds))
  send(exchange, status, json, headers)
}

/**
 * Structured fields of draft-ietf-httpapi-ratelimit-headers. A bucket refills evenly, so that the next call is possible
 * soon.
 */
const rateHeaders = ({ rate }: Exchange): string[] =>
  rate === null
    ? []
    : ['ratelimit-policy', `"merchant";q=${rate.perMinute};w=60`, 'ratelimit', `"merchant";r=${rate.left}`]

/** Sends the head of an answer of unknown length, which a browser stores as a file. */
export const sendStreamHead = (
  exchange: Exchange,
  { contentType, fileName }: { contentType: string; fileName: string },
): void => {
  const { response, requestId } = exchange
  const file = ['content-type', contentType, 'content-disposition', `attachment; filename="${fileName}"`]
  response.writeHead(200, [
    ...file,
    ...NO_PAGE,
    ...rateHeaders(exchange),
    ...ALWAYS,
    responseHeaders.requestId,
    requestId,
  ])
}

export const sendRefusal = (exchange: Exchange, refusal: ApiRefusal): void =>
  sendJson(exchange, refusal.status, refusalBody(refusal, exchange.requestId), {
    retryAfterSeconds: refusal.retryAfterSeconds,
  })

const send = ({ request, response, requestId }: Exchange, status: number, text: string, headers: string[]): void => {
  if (response.headersSent || response.destroyed) return
  headers.push(...ALWAYS, responseHeaders.requestId, requestId, 'content-length', String(Buffer.byteLength(text)))
  if (!request.complete && !isSoonRead(request)) headers.push('connection', 'close')
  response.writeHead(status, headers)
  response.end(text)
}

const MOST_READ_ON = 16 * 1024 * 1024

/**
 * Whether the rest of a request should be read to its end after an early answer: closing a connection on which bytes
 * are still being sent may lose the answer.
 */
const isSoonRead = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= MOST_READ_ON

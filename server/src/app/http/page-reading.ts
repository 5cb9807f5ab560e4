import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { PageRequest, PageRoute } from '../../platform/api/page.ts'
import { ApiRefusal, refusal } from '../../platform/api/route.ts'
import type { BodyShare } from './body-budget.ts'
import { readBytes } from './body.ts'
import { invalidRequest } from './refusals.ts'
import { pathOf, readPageQuery, unknownPath } from './target.ts'

interface BodyReading {
  share: BodyShare
  /** the time limit for receiving the body */
  ms: number
}

/** Reads a page's request and its whole body. Throws a refusal for a request that no page accepts. */
export const readPageRequest = async (
  request: FastifyRequest,
  { method, mostBytes }: PageRoute,
  reading: BodyReading,
): Promise<PageRequest> => {
  const { raw, id } = request
  if (raw.headers.host === undefined && raw.httpVersion === '1.1') throw refusal(invalidRequest, 'send a Host header')
  const url = raw.url!
  const mark = url.indexOf('?')
  const query = mark < 0 ? {} : readPageQuery(url.slice(mark + 1))
  const body = method === 'POST' ? await readInTime(raw, mostBytes, reading) : readNone(raw)
  const params = request.params as Record<string, string>
  return { method, url, params, query, headers: headersOf(request), body, requestId: id }
}

/**
 * Throws a refusal unless the path is spelled as its route is, with visible characters in each parameter. Fastify also
 * finds a route for `/invoices/crypt%6F/ID`, `http://host/docs`, `/invoices/crypto/ID#x`, and an empty or unprintable
 * parameter.
 */
export const checkSpelling = ({ routeOptions, params, raw }: FastifyRequest): void => {
  const route = routeOptions.url?.split('/')
  if (route === undefined) return
  const path = pathOf(raw.url!)
  const segments = (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path).split('/')
  const isPlain = route.every((one, i) => (one.startsWith(':') ? segments[i] !== '' : one === segments[i]))
  if (
    !isPlain ||
    segments.length !== route.length ||
    path.includes('#') ||
    /\p{Cc}/u.test(Object.values(params as object).join(''))
  )
    throw unknownPath(raw)
}

const readNone = ({ headers }: IncomingMessage): Buffer => {
  const length = headers['content-length']
  if ((length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined)
    throw refusal(invalidRequest, 'a GET request has no body')
  return Buffer.alloc(0)
}

const readInTime = async (request: IncomingMessage, most: number, { share, ms }: BodyReading): Promise<Buffer> => {
  if (request.headers['content-encoding'] !== undefined)
    throw refusal(invalidRequest, 'send the body without Content-Encoding')
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

/** Joins the values of a repeated header, according to RFC 9110. */
export const headersOf = ({ raw }: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(raw.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )

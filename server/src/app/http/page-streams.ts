import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { PageAnswer } from '../../platform/api/page.ts'
import { refusal } from '../../platform/api/route.ts'
import { streamHeaders } from './page-answering.ts'
import { tooManyRequests, unavailable } from './refusals.ts'

/** Limits of the streams of one process. */
export interface StreamLimits {
  /** in total */
  most: number
  /** per network address */
  perAddress: number
  /** ms; the browser reconnects afterwards */
  longestMs: number
  /** bytes that may be buffered for a slow client */
  mostWaiting: number
}

export const STREAM_LIMITS: StreamLimits = {
  most: 5_000,
  perAddress: 100,
  longestMs: 15 * 60_000,
  mostWaiting: 64 * 1024,
}

type Streaming = Extract<PageAnswer, { stream: unknown }>

export interface PageStreams {
  /**
   * Throws a refusal when there are too many streams. The returned function must be called: it sends a stream until the
   * stream ends, the client disconnects or reads too slowly, the time limit is reached, or the process stops.
   */
  admit(subject: string): (request: FastifyRequest, response: ServerResponse, answer: Streaming) => Promise<void>
  endAll(): void
}

const RETRY_SECONDS = 10

export const createPageStreams = (limits: StreamLimits): PageStreams => {
  const open = new Set<AbortController>()
  const bySubject = new Map<string, number>()
  const enter = (subject: string): AbortController => {
    if (open.size >= limits.most)
      throw refusal(unavailable, 'too many pages are open: reload the page later', { retryAfterSeconds: RETRY_SECONDS })
    const held = bySubject.get(subject) ?? 0
    if (held >= limits.perAddress)
      throw refusal(tooManyRequests, 'too many pages are open from here: close some', {
        retryAfterSeconds: RETRY_SECONDS,
      })
    bySubject.set(subject, held + 1)
    const leaving = new AbortController()
    open.add(leaving)
    return leaving
  }
  const leave = (subject: string, leaving: AbortController): void => {
    open.delete(leaving)
    const held = (bySubject.get(subject) ?? 1) - 1
    if (held > 0) bySubject.set(subject, held)
    else bySubject.delete(subject)
  }
  return {
    admit: (subject) => {
      const leaving = enter(subject)
      return async (request, response, answer) => {
        try {
          await run(request, response, answer, leaving, limits)
        } finally {
          leave(subject, leaving)
        }
      }
    },
    endAll: () => {
      for (const leaving of open) leaving.abort()
    },
  }
}

const run = async (
  { method, id }: FastifyRequest,
  response: ServerResponse,
  answer: Streaming,
  leaving: AbortController,
  limits: StreamLimits,
): Promise<void> => {
  const end = (): void => leaving.abort()
  if (response.destroyed) return
  response.once('close', end)
  response.shouldKeepAlive = false
  response.writeHead(answer.status, streamHeaders(answer, id))
  if (method === 'HEAD') {
    response.end()
    return
  }
  response.flushHeaders()
  const timer = setTimeout(end, limits.longestMs)
  const write = (chunk: string): void => {
    if (leaving.signal.aborted || response.destroyed) return
    response.write(chunk)
    if (response.writableLength <= limits.mostWaiting) return
    end()
    response.destroy()
  }
  try {
    await Promise.race([answer.stream(write, leaving.signal), aborted(leaving.signal)])
  } finally {
    clearTimeout(timer)
    end()
    response.end()
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

import { Counter, type Metric } from 'prom-client'
import { request } from 'undici'
import { splitLogin } from '../base/url-login.ts'
import { toOtlp, type Resource } from './otlp.ts'
import type { Span } from './span.ts'
import type { SpanSink } from './tracing.ts'

export interface ExporterSettings {
  /** of the collector, with the path: `http://HOST:4318/v1/traces`; its user and password become a header */
  url: string
  /** with names in lower case; an `authorization` replaces the one of the URL */
  headers: Readonly<Record<string, string>>
  resource: Resource
  /** called with the first failure after a success */
  onFailure(error: unknown): void
  /** ms between two batches */
  everyMs?: number
}

export interface Exporter extends SpanSink {
  metrics: readonly Metric[]
  /** Sends the spans that wait, once, and ends. */
  close(): Promise<void>
}

/** Counts the spans of one process. */
export const createTraceMeter = (): { counted: Counter<'outcome'>; metrics: readonly Metric[] } => {
  const counted = new Counter({
    name: 'bursar_trace_spans_total',
    help: 'Spans of traces, by outcome (exported, dropped): dropped ones exceed a limit, or were not taken',
    labelNames: ['outcome'],
    registers: [],
  })
  return { counted, metrics: [counted] }
}

const EVERY_MS = 2_000
const TIMEOUT_MS = 5_000
/** Spans that wait at most, about 2 MB: further ones are dropped. */
const MOST_WAITING = 4_096
const MOST_IN_BATCH = 512
const MOST_ANSWER_BYTES = 65_536

/**
 * Sends spans to a collector by OTLP over HTTP as JSON, in batches, one at a time. No request or job waits for
 * it: while the collector is unavailable or slow, spans are dropped and counted. A batch that fails is not sent again.
 */
export const createExporter = ({
  url,
  headers,
  resource,
  onFailure,
  everyMs = EVERY_MS,
}: ExporterSettings): Exporter => {
  const { counted, metrics } = createTraceMeter()
  let waiting: Span[] = []
  let isFailing = false
  let sending: Promise<void> = Promise.resolve()
  let isSending = false
  let isClosed = false
  const send = async (batch: readonly Span[]): Promise<void> => {
    try {
      const rejected = await post(url, headers, toOtlp(batch, resource))
      counted.inc({ outcome: 'exported' }, batch.length - rejected)
      counted.inc({ outcome: 'dropped' }, rejected)
      isFailing = false
    } catch (error) {
      counted.inc({ outcome: 'dropped' }, batch.length)
      if (!isFailing) onFailure(error)
      isFailing = true
    }
  }
  const flush = (): void => {
    if (isSending || waiting.length === 0) return
    isSending = true
    const batch = waiting.slice(0, MOST_IN_BATCH)
    waiting = waiting.slice(MOST_IN_BATCH)
    sending = send(batch).finally(() => {
      isSending = false
      if (!isClosed && waiting.length >= MOST_IN_BATCH) flush()
    })
  }
  const timer = setInterval(flush, everyMs)
  timer.unref()
  return {
    add: (span) => {
      if (waiting.length >= MOST_WAITING) {
        counted.inc({ outcome: 'dropped' })
        return
      }
      waiting.push(span)
      if (waiting.length >= MOST_IN_BATCH) flush()
    },
    drop: (spans) => counted.inc({ outcome: 'dropped' }, spans),
    metrics,
    close: async () => {
      isClosed = true
      clearInterval(timer)
      await sending
      const rest = waiting
      waiting = []
      if (rest.length > 0) await send(rest)
    },
  }
}

/** Returns the number of spans that the collector rejected. Throws when it did not take the batch. */
const post = async (url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> => {
  const { url: place, headers: login } = splitLogin(url)
  const { statusCode, body: answer } = await request(place, {
    method: 'POST',
    headers: { ...login, ...headers, 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (statusCode < 200 || statusCode > 299) {
    await answer.dump()
    throw new Error(`the collector answered ${statusCode}`)
  }
  return rejectedIn(await readUpTo(answer, MOST_ANSWER_BYTES))
}

const readUpTo = async (body: AsyncIterable<Buffer>, most: number): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop closes the connection.
    if (bytes > most) return ''
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads `partialSuccess.rejectedSpans` of an `ExportTraceServiceResponse`, a decimal text or a number; 0 if absent. */
const rejectedIn = (text: string): number => {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: unknown } }
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0)
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0
  } catch {
    return 0
  }
}

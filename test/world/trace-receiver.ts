/**
 * A receiver of traces: OTLP over HTTP as JSON, at `/v1/traces`. Its checks follow opentelemetry-proto at commit
 * ac2c4b5d1f3a6079de62f9afec860158ecc8af09: opentelemetry/proto/trace/v1/trace.proto (fields and enums of Span),
 * opentelemetry/proto/collector/trace/v1/trace_service.proto (request and answer), and docs/specification.md,
 * "OTLP/HTTP" and "JSON Protobuf Encoding" (ids in hexadecimal, integers for enums, decimal texts for 64-bit integers).
 */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export interface ReceivedSpan {
  service: string
  traceId: string
  spanId: string
  /** empty for the first span of a trace */
  parentSpanId: string
  name: string
  kind: number
  startTimeUnixNano: bigint
  endTimeUnixNano: bigint
  attributes: Record<string, string | number>
  isError: boolean
}

export interface TraceReceiver {
  url: string
  spans: ReceivedSpan[]
  /** the headers of the latest request */
  headers(): IncomingHttpHeaders
  /** problems of requests that do not have the format of the proto */
  problems: string[]
  /** the answer to the next requests; `undefined`: none at all */
  answer(status: number | undefined, body?: string): void
  close(): Promise<void>
}

type Fields = Record<string, unknown>
const SPAN_FIELDS = [
  'traceId',
  'spanId',
  'traceState',
  'parentSpanId',
  'flags',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'droppedAttributesCount',
  'events',
  'droppedEventsCount',
  'links',
  'droppedLinksCount',
  'status',
]

const listOf = (value: unknown): Fields[] => {
  if (!Array.isArray(value)) throw new Error('a repeated field is no list')
  return value as Fields[]
}

const onlyFields = (value: Fields, names: readonly string[]): void => {
  const other = Object.keys(value).filter((name) => !names.includes(name))
  if (other.length > 0) throw new Error(`no such fields: ${other.join(', ')}`)
}

const matching = (value: unknown, pattern: RegExp, name: string): string => {
  if (typeof value !== 'string' || !pattern.test(value)) throw new Error(`${name} is ${JSON.stringify(value)}`)
  return value
}

/** `repeated KeyValue`, with the values of an AnyValue that spans of Bursar may have. */
const attributesIn = (value: unknown): Record<string, string | number> =>
  Object.fromEntries(
    listOf(value).map(({ key, value: any }) => {
      const [[kind, held], ...more] = Object.entries(any as Fields) as [[string, unknown], ...unknown[]]
      if (typeof key !== 'string' || more.length > 0) throw new Error('an attribute has a key and one value')
      if (kind === 'stringValue' && typeof held === 'string') return [key, held]
      if (kind === 'intValue') return [key, Number(matching(held, /^-?\d{1,19}$/, key))]
      if (kind === 'doubleValue' && typeof held === 'number') return [key, held]
      throw new Error(`${key} has no value: ${JSON.stringify(any)}`)
    }),
  )

const spanIn = (service: string, span: Fields): ReceivedSpan => {
  onlyFields(span, SPAN_FIELDS)
  const { name, kind, status } = span
  if (typeof name !== 'string' || name === '') throw new Error('a span has no name')
  if (!Number.isInteger(kind) || Number(kind) < 1 || Number(kind) > 5) throw new Error(`${String(kind)} is no SpanKind`)
  const nanoseconds = (field: string): bigint => BigInt(matching(span[field], /^\d{1,20}$/, field))
  const [start, end] = [nanoseconds('startTimeUnixNano'), nanoseconds('endTimeUnixNano')]
  if (end < start) throw new Error(`${name} ends before it starts`)
  return {
    service,
    traceId: matching(span['traceId'], /^(?!0{32})[0-9a-f]{32}$/, 'traceId'),
    spanId: matching(span['spanId'], /^(?!0{16})[0-9a-f]{16}$/, 'spanId'),
    parentSpanId: matching(span['parentSpanId'] ?? '', /^([0-9a-f]{16})?$/, 'parentSpanId'),
    name,
    kind: Number(kind),
    startTimeUnixNano: start,
    endTimeUnixNano: end,
    attributes: attributesIn(span['attributes']),
    isError: (status as Fields | undefined)?.['code'] === 2,
  }
}

const spansIn = (body: string): ReceivedSpan[] => {
  const request = JSON.parse(body) as Fields
  onlyFields(request, ['resourceSpans'])
  return listOf(request['resourceSpans']).flatMap((one) => {
    onlyFields(one, ['resource', 'scopeSpans', 'schemaUrl'])
    const service = attributesIn((one['resource'] as Fields)['attributes'])['service.name']
    if (typeof service !== 'string') throw new Error('a resource has no service.name')
    return listOf(one['scopeSpans']).flatMap((scope) => {
      onlyFields(scope, ['scope', 'spans', 'schemaUrl'])
      return listOf(scope['spans']).map((span) => spanIn(service, span))
    })
  })
}

/** Starts a receiver on a free port of this machine. */
export const startTraceReceiver = async (): Promise<TraceReceiver> => {
  const spans: ReceivedSpan[] = []
  const problems: string[] = []
  let headers: IncomingHttpHeaders = {}
  let answered: { status: number | undefined; body: string } = { status: 200, body: '{}' }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      headers = request.headers
      const { status, body } = answered
      if (status === undefined) return
      if (request.method !== 'POST' || request.url !== '/v1/traces') problems.push(`${request.method} ${request.url}`)
      if (headers['content-type'] !== 'application/json') problems.push(`content-type ${headers['content-type']}`)
      try {
        if (status === 200) spans.push(...spansIn(Buffer.concat(chunks).toString('utf8')))
      } catch (error) {
        problems.push((error as Error).message)
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    headers: () => headers,
    problems,
    answer: (status, body = '{}') => (answered = { status, body }),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

import type { Attributes, Program, Span, SpanKind } from './span.ts'

/** `Span.SpanKind` of opentelemetry/proto/trace/v1/trace.proto. */
const KINDS: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, producer: 4 }
/** `Status.StatusCode` of the same file. */
const ERROR = 2

/** The process that writes the spans. */
export interface Resource {
  /** `api`, `worker`, `watcher` or `all` */
  role: string
  version: string
}

/**
 * Writes an `ExportTraceServiceRequest` in the JSON encoding of OTLP: names in lowerCamelCase, ids as hexadecimal
 * digits, enums as integers, 64-bit integers as decimal texts (docs/specification.md of opentelemetry-proto, "JSON
 * Protobuf Encoding"). Spans of the signer are a resource of their own.
 */
export const toOtlp = (spans: readonly Span[], { role, version }: Resource): string => {
  const byProgram = Map.groupBy(spans, ({ program = 'server' }) => program)
  const serviceOf = (program: Program): string => (program === 'signer' ? 'bursar-signer' : `bursar-${role}`)
  return JSON.stringify({
    resourceSpans: [...byProgram].map(([program, some]) => ({
      resource: { attributes: attributesOf({ 'service.name': serviceOf(program), 'service.version': version }) },
      scopeSpans: [{ scope: { name: 'bursar', version }, spans: some.map(spanOf) }],
    })),
  })
}

const spanOf = ({ traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, failed }: Span) => ({
  traceId,
  spanId,
  ...(parentId !== undefined && { parentSpanId: parentId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanoseconds(startedAt),
  endTimeUnixNano: nanoseconds(Math.max(startedAt, endedAt)),
  attributes: attributesOf(attributes),
  ...(failed && { status: { code: ERROR } }),
})

/** Converts ms with fractions. A number can't hold nanoseconds since the epoch, so both parts are converted. */
const nanoseconds = (ms: number): string => {
  const whole = Math.floor(ms)
  return (BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1_000_000))).toString()
}

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : Number.isSafeInteger(value)
          ? { intValue: String(value) }
          : { doubleValue: value },
  }))

/** The export against the one that OpenTelemetry's own encoder writes for the same spans. */
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { toOtlp } from './otlp.ts'
import type { Span } from './span.ts'

/** `JsonTraceSerializer.serializeRequest` of @opentelemetry/otlp-transformer 0.301.1. */
const OFFICIAL: unknown = {
  resourceSpans: [
    {
      resource: {
        attributes: [
          { key: 'service.name', value: { stringValue: 'bursar-api' } },
          { key: 'service.version', value: { stringValue: '1.2.3' } },
        ],
        droppedAttributesCount: 0,
      },
      scopeSpans: [
        {
          scope: { name: 'bursar', version: '1.2.3' },
          spans: [
            {
              traceId: '0193b1d2a7c47e0a8f0102030405060a',
              spanId: '8f0102030405060a',
              name: 'createCryptoWithdrawal',
              kind: 2,
              startTimeUnixNano: '1764374400123250000',
              endTimeUnixNano: '1764374400130500000',
              attributes: [
                { key: 'http.route', value: { stringValue: '/merchants/withdrawals/crypto' } },
                { key: 'http.response.status_code', value: { intValue: 201 } },
                { key: 'share', value: { doubleValue: 0.5 } },
              ],
              droppedAttributesCount: 0,
              events: [],
              droppedEventsCount: 0,
              status: { code: 0 },
              links: [],
              droppedLinksCount: 0,
              flags: 257,
            },
            {
              traceId: '0193b1d2a7c47e0a8f0102030405060a',
              spanId: '1111111111111111',
              parentSpanId: '8f0102030405060a',
              name: 'createCryptoWithdrawal',
              kind: 1,
              startTimeUnixNano: '1764374400123250000',
              endTimeUnixNano: '1764374400130500000',
              attributes: [],
              droppedAttributesCount: 0,
              events: [],
              droppedEventsCount: 0,
              status: { code: 2 },
              links: [],
              droppedLinksCount: 0,
              flags: 257,
            },
            {
              traceId: '0193b1d2a7c47e0a8f0102030405060a',
              spanId: '2222222222222222',
              parentSpanId: '1111111111111111',
              name: 'createCryptoWithdrawal',
              kind: 3,
              startTimeUnixNano: '1764374400123250000',
              endTimeUnixNano: '1764374400130500000',
              attributes: [],
              droppedAttributesCount: 0,
              events: [],
              droppedEventsCount: 0,
              status: { code: 0 },
              links: [],
              droppedLinksCount: 0,
              flags: 257,
            },
            {
              traceId: '0193b1d2a7c47e0a8f0102030405060a',
              spanId: '3333333333333333',
              parentSpanId: '1111111111111111',
              name: 'createCryptoWithdrawal',
              kind: 4,
              startTimeUnixNano: '1764374400123250000',
              endTimeUnixNano: '1764374400130500000',
              attributes: [],
              droppedAttributesCount: 0,
              events: [],
              droppedEventsCount: 0,
              status: { code: 0 },
              links: [],
              droppedLinksCount: 0,
              flags: 257,
            },
          ],
        },
      ],
    },
  ],
}

/** Bursar leaves these fields out if they have this value: the default of the format. `flags` may be absent. */
const ABSENT: Readonly<Record<string, unknown>> = {
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0,
  events: [],
  links: [],
  status: { code: 0 },
  flags: 257,
}
/** Readers of the JSON of Protocol Buffers accept a 64-bit integer as a number and as a text. */
const withoutAbsent = (given: unknown): unknown =>
  JSON.parse(
    JSON.stringify(given, (name, value: unknown) => {
      if (isDeepStrictEqual(value, ABSENT[name])) return undefined
      return name === 'intValue' ? String(value) : value
    }),
  )

const span = (spanId: string, parentId: string | undefined, more: Partial<Span>): Span => ({
  traceId: '0193b1d2a7c47e0a8f0102030405060a',
  spanId,
  parentId,
  name: 'createCryptoWithdrawal',
  kind: 'server',
  startedAt: 1_764_374_400_123.25,
  endedAt: 1_764_374_400_130.5,
  attributes: {},
  failed: false,
  ...more,
})

test("the export has the fields and values of OpenTelemetry's encoder", () => {
  const attributes = { 'http.route': '/merchants/withdrawals/crypto', 'http.response.status_code': 201, share: 0.5 }
  const spans = [
    span('8f0102030405060a', undefined, { attributes }),
    span('1111111111111111', '8f0102030405060a', { kind: 'internal', failed: true }),
    span('2222222222222222', '1111111111111111', { kind: 'client' }),
    span('3333333333333333', '1111111111111111', { kind: 'producer' }),
  ]
  expect(JSON.parse(toOtlp(spans, { role: 'api', version: '1.2.3' }))).toEqual(withoutAbsent(OFFICIAL))
})

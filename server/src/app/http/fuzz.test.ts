import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { operations, type Operation } from '@bursar/contract'
import { cases } from '../../../../test/setup/cases.ts'
import { NOW, targetOf, useEdge, type Answer } from '../../../../test/world/edge.ts'
import { sign } from '../../../../test/world/signed-request.ts'

const edge = useEdge()
const signed = operations.filter((operation) => operation.signed)

const isWellFormed = ({ status, body, headers }: Answer): void => {
  expect(status === 501 || status < 500).toBe(true)
  expect(headers['x-request-id']).toBeTruthy()
  if (status === 200) return
  expect(body.code).toBeTypeOf('number')
  expect(body.description).toBeTruthy()
}

/** Values that programs trip over, among ordinary ones. */
const odd = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(
    '1e3',
    '-1',
    '0x10',
    'NaN',
    '__proto__',
    "'; drop table merchants; --",
    '${7*7}',
    '%00',
    '\u202e',
    '\u0000',
    '\ud800',
    '{{1}}',
    '../../etc/passwd',
    '1'.repeat(5_000),
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

/** A body of the operation's own fields, each with a value that may or may not fit. */
const bodyFor = (operation: Operation): fc.Arbitrary<string> => {
  const { properties = {}, examples = [] } = (operation.body ?? {}) as {
    properties?: Record<string, unknown>
    examples?: Record<string, unknown>[]
  }
  const example = examples[0] ?? {}
  const fields = fc.record(
    Object.fromEntries(
      Object.keys(properties).map((name) => [
        name,
        fc.oneof({ weight: 3, arbitrary: fc.constant(example[name]) }, odd),
      ]),
    ),
    { requiredKeys: [] },
  )
  const extra = fc.dictionary(fc.string({ maxLength: 8 }), odd, { maxKeys: 2 })
  return fc.oneof(
    fc.tuple(fields, extra).map(([a, b]) => JSON.stringify({ ...a, ...b })),
    fc.json({ maxDepth: 20 }),
    fc.string({ unit: 'binary' }),
  )
}

const request = fc.constantFrom(...signed).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    body: bodyFor(operation),
    tail: fc.oneof(
      fc.constant(''),
      fc
        .dictionary(
          fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('ticker', 'amount', 'tickers', 'after')),
          fc.string({ unit: 'binary', maxLength: 30 }),
          { maxKeys: 4 },
        )
        .map(
          (query) =>
            `&${Object.entries(query)
              .map(([name, value]) => `${encode(name)}=${encode(value)}`)
              .join('&')}`,
        ),
    ),
    id: fc.oneof(fc.uuid(), fc.string({ maxLength: 40 }).map(encode)),
  }),
)

const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

describe('generated requests', () => {
  test('signed well, never make the edge fail', async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ operation, body, tail, id }) => {
        const target = targetOf(operation, operation.path).replace('123e4567-e89b-12d3-a456-426614174000', id || 'x')
        const whole = tail === '' ? target : target.includes('?') ? target + tail : `${target}?${tail.slice(1)}`
        isWellFormed(
          await edge.call(
            operation.method,
            operation.method === 'GET' ? whole : target,
            operation.method === 'POST' ? Buffer.from(body) : undefined,
          ),
        )
      }),
      { numRuns: cases(1_500) },
    )
  })

  test('with any headers, never make the edge fail', async () => {
    const header = fc
      .oneof(
        fc.string({ maxLength: 80 }),
        fc.constantFrom(edge.merchant?.id ?? '', String(NOW / 1_000), 'a'.repeat(64)),
      )
      .map((text) => text.replaceAll(/[^\t\x20-\xff]|[\x7f-\x9f]/g, ''))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...operations),
        header,
        header,
        header,
        header,
        async (operation, id, signature, timestamp, key) => {
          const headers = ['merchant-id', id, 'signature', signature, 'timestamp', timestamp, 'idempotency-key', key]
          isWellFormed(
            await edge.raw(
              operation.method,
              targetOf(operation, operation.path),
              headers,
              operation.method === 'POST' ? '{}' : undefined,
            ),
          )
        },
      ),
      { numRuns: cases(1_000) },
    )
  })

  test('as bytes, never end the process', async () => {
    const target = '/merchants/assets/crypto'
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.nat(60), async (noise, at) => {
        const good = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nmerchant-id: x\r\n\r\n`)
        const text = await edge.bytesUntil(
          400,
          Buffer.concat([good.subarray(0, at), noise, good.subarray(at), Buffer.from('\r\n\r\n')]),
        )
        expect(text === '' || /^HTTP\/1\.1 [2-4]/.test(text)).toBe(true)
      }),
      { numRuns: cases(100) },
    )
    const answer = await edge.raw('GET', target, [
      'merchant-id',
      edge.merchant.id,
      'signature',
      sign(edge.merchant.privateKey, 'GET', target, '', NOW / 1_000),
      'timestamp',
      String(NOW / 1_000),
    ])
    expect(answer.status).toBe(200)
  })
})

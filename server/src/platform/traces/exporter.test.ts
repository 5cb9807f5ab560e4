import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTraceReceiver, type TraceReceiver } from '../../../../test/world/trace-receiver.ts'
import { createExporter, type Exporter } from './exporter.ts'
import type { Span } from './span.ts'

let receiver: TraceReceiver
let exporter: Exporter
let failures: unknown[] = []
const span = (more: Partial<Span> = {}): Span => ({
  traceId: '0193b1d2a7c47e0a8f0102030405060a',
  spanId: '8f0102030405060a',
  parentId: undefined,
  name: 'createCryptoWithdrawal',
  kind: 'server',
  startedAt: 1_764_374_400_123.25,
  endedAt: 1_764_374_400_130.5,
  attributes: { 'http.route': '/merchants/withdrawals/crypto', 'http.response.status_code': 201, share: 0.5 },
  failed: false,
  ...more,
})
const counts = async (): Promise<Record<string, number>> => {
  const { values } = await exporter.metrics[0]!.get()
  return Object.fromEntries(values.map(({ labels, value }) => [(labels as { outcome: string }).outcome, value]))
}

beforeEach(async () => {
  receiver = await startTraceReceiver()
  failures = []
  exporter = createExporter({
    url: receiver.url,
    headers: { authorization: 'Bearer of traces' },
    resource: { role: 'api', version: '1.2.3' },
    onFailure: (error) => failures.push(error),
    everyMs: 10,
  })
})
afterEach(async () => {
  await receiver.close()
  await exporter.close()
})

test('sends spans in the JSON of OTLP, with the headers of the settings; spans of the signer are its own', async () => {
  exporter.add(span())
  exporter.add(span({ spanId: '1111111111111111', parentId: '8f0102030405060a', program: 'signer', failed: true }))
  await expect.poll(() => receiver.spans.length).toBe(2)
  expect(receiver.problems).toEqual([])
  expect(receiver.headers()['authorization']).toBe('Bearer of traces')
  expect(receiver.spans[0]).toEqual({
    service: 'bursar-api',
    traceId: '0193b1d2a7c47e0a8f0102030405060a',
    spanId: '8f0102030405060a',
    parentSpanId: '',
    name: 'createCryptoWithdrawal',
    kind: 2,
    startTimeUnixNano: 1_764_374_400_123_250_000n,
    endTimeUnixNano: 1_764_374_400_130_500_000n,
    attributes: { 'http.route': '/merchants/withdrawals/crypto', 'http.response.status_code': 201, share: 0.5 },
    isError: false,
  })
  expect(receiver.spans[1]).toMatchObject({ service: 'bursar-signer', parentSpanId: '8f0102030405060a', isError: true })
})

test('drops and counts what the receiver refuses, and reports the first failure after a success only', async () => {
  receiver.answer(503)
  exporter.add(span())
  await expect.poll(counts).toEqual({ dropped: 1 })
  exporter.add(span())
  await expect.poll(counts).toEqual({ dropped: 2 })
  expect(failures).toHaveLength(1)
  receiver.answer(200, '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}')
  exporter.add(span())
  exporter.add(span())
  await expect.poll(async () => (await counts())['exported']).toBeGreaterThan(0)
  receiver.answer(503)
  exporter.add(span())
  await expect.poll(() => failures.length).toBe(2)
})

test('a receiver that does not answer costs a bounded number of spans in memory', async () => {
  receiver.answer(undefined)
  for (let n = 0; n < 10_000; n += 1) exporter.add(span())
  const { dropped = 0 } = await counts()
  // One batch of 512 is on its way, and 4096 spans wait.
  expect(dropped).toBe(10_000 - 512 - 4_096)
})

test('the end of a process sends what waits', async () => {
  await exporter.close()
  exporter = createExporter({
    url: receiver.url,
    headers: {},
    resource: { role: 'worker', version: '1.2.3' },
    onFailure: () => {},
  })
  exporter.add(span())
  await exporter.close()
  expect(receiver.spans.map(({ service }) => service)).toEqual(['bursar-worker'])
})

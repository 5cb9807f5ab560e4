import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createRequestMeter } from './meter.ts'

test('a meter counts by operation and status, and times by range', async () => {
  const meter = createRequestMeter()
  const registry = new Registry()
  for (const metric of meter.metrics) registry.registerMetric(metric)
  meter.note('a', 200, 0.4)
  meter.note('a', 200, 7)
  meter.note('a', 503, 20_000)
  const lines = (await registry.metrics()).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'bursar_requests_total{operation="a",status="200"} 2',
      'bursar_requests_total{operation="a",status="503"} 1',
      'bursar_request_seconds_count{operation="a"} 3',
      expect.stringMatching(/^bursar_request_seconds_sum\{operation="a"\} 20\.0074/),
    ]),
  )
  const below = (le: string) =>
    lines.find((line) => line.startsWith(`bursar_request_seconds_bucket{le="${le}",operation="a"}`))?.split(' ')[1]
  expect(['0.001', '0.005', '0.01', '10', '+Inf'].map(below)).toEqual(['1', '1', '2', '2', '3'])
})

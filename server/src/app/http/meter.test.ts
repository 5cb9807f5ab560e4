import { expect, test } from 'vitest'
import { createRequestMeter } from './meter.ts'

test('a meter counts by operation and status, and times by range', async () => {
  const meter = createRequestMeter()
  meter.note('a', 200, 0.4)
  meter.note('a', 200, 7)
  meter.note('a', 503, 20_000)
  const read = async (name: string) => meter.figures.find((figure) => figure.name === name)!.read()
  expect(await read('bursar_requests_total')).toEqual([
    { labels: { operation: 'a', status: '200' }, value: 2 },
    { labels: { operation: 'a', status: '503' }, value: 1 },
  ])
  const buckets = await read('bursar_request_seconds_bucket')
  const below = (le: string) => buckets.find(({ labels }) => labels['le'] === le)?.value
  expect([below('0.001'), below('0.005'), below('0.01'), below('10'), below('+Inf')]).toEqual([1, 1, 2, 2, 3])
  expect((await read('bursar_request_seconds_sum'))[0]?.value).toBeCloseTo(20.0074)
  expect((await read('bursar_request_seconds_count'))[0]?.value).toBe(3)
})

import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createClientAddress, subjectOf } from './client-address.ts'
import { createRequestMeter } from './meter.ts'
import { createRateLimiter } from './rate-limit.ts'

describe('rate', () => {
  test('lets a burst of the whole minute through, then evenly', () => {
    const limiter = createRateLimiter()
    const at = (ms: number) => limiter.take('a', 60, 1_000_000 + ms)
    expect(Array.from({ length: 60 }, () => at(0))).toEqual(Array.from({ length: 60 }, (_, i) => 59 - i))
    expect(at(0)).toBe(-1)
    expect(at(999)).toBe(-1)
    expect(at(1_000)).toBe(0)
    expect(at(1_000)).toBe(-1)
    expect(at(61_000)).toBe(59)
  })

  test('is kept over the turn of the minute', () => {
    const limiter = createRateLimiter()
    for (let i = 0; i < 60; i += 1) limiter.take('a', 60, 59_000)
    expect(limiter.take('b', 60, 61_000)).toBe(59)
    expect(limiter.take('a', 60, 60_500)).toBe(0)
    expect(limiter.take('a', 60, 60_500)).toBe(-1)
  })

  test('over ten minutes lets through exactly what was promised', () => {
    const limiter = createRateLimiter()
    let through = 0
    for (let ms = 0; ms < 600_000; ms += 100) if (limiter.take('a', 120, ms) >= 0) through += 1
    expect(through).toBe(120 + 10 * 120 - 1)
  })

  test('forgets in constant time, and a clock set back locks nobody out', () => {
    const limiter = createRateLimiter()
    const before = process.cpuUsage()
    for (let i = 0; i < 300_000; i += 1) limiter.take(`s${i}`, 60, 1_000)
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000)
    for (let i = 0; i < 70; i += 1) limiter.take('a', 60, 10_000_000)
    expect(limiter.take('a', 60, 1_000_000)).toBe(59)
  })
})

describe('the address of a client', () => {
  const request = (remoteAddress: string, forwarded?: string) =>
    ({
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    }) as unknown as IncomingMessage

  test.each([
    ['203.0.113.1', undefined, '203.0.113.1'],
    ['203.0.113.1', '198.51.100.1', '203.0.113.1'],
    ['::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['fd00::1', '2001:db8::1', '2001:db8::1'],
    ['10.0.0.1', '198.51.100.1:5555', '198.51.100.1'],
    ['10.0.0.1', '1.1.1.1, 198.51.100.1:80, 10.0.0.2:443', '198.51.100.1'],
    ['10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['10.0.0.1', '[::ffff:198.51.100.1]:9', '198.51.100.1'],
    ...[
      'nonsense',
      'unknown',
      '_hidden',
      '198.51.100.256',
      '198.51.100.1:port',
      '198.51.100.1:5:5',
      '198.51.100.1 5',
    ].map((hop): [string, string, string] => ['10.0.0.1', `1.1.1.1, ${hop}`, '10.0.0.1']),
    ['10.0.0.1', 'nonsense, 10.0.0.2', '10.0.0.2'],
  ])('audit S-18: %s with %s is %s', (remote, forwarded, expected) => {
    expect(createClientAddress(['10.0.0.0/8', 'fd00::/8'])(request(remote, forwarded))).toBe(expected)
  })

  test('is that of the connection where no proxy is trusted', () => {
    expect(createClientAddress([])(request('10.0.0.1', '198.51.100.1'))).toBe('10.0.0.1')
  })

  test.each([
    ['203.0.113.1', '203.0.113.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:DB8:0001:02::', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['nonsense', 'nonsense'],
  ])('%s stands for %s', (address, subject) => expect(subjectOf(address)).toBe(subject))
})

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

import { describe, expect, test } from 'vitest'
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

  test('continues over the turn of the minute', () => {
    const limiter = createRateLimiter()
    for (let i = 0; i < 60; i += 1) limiter.take('a', 60, 59_000)
    expect(limiter.take('b', 60, 61_000)).toBe(59)
    expect(limiter.take('a', 60, 60_500)).toBe(0)
    expect(limiter.take('a', 60, 60_500)).toBe(-1)
  })

  test('over ten minutes lets through exactly the stated number', () => {
    const limiter = createRateLimiter()
    let through = 0
    for (let ms = 0; ms < 600_000; ms += 100) if (limiter.take('a', 120, ms) >= 0) through += 1
    expect(through).toBe(120 + 10 * 120 - 1)
  })

  test('forgets in constant time, and a clock set back locks no source out', () => {
    const limiter = createRateLimiter()
    const before = process.cpuUsage()
    for (let i = 0; i < 300_000; i += 1) limiter.take(`s${i}`, 60, 1_000)
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000)
    for (let i = 0; i < 70; i += 1) limiter.take('a', 60, 10_000_000)
    expect(limiter.take('a', 60, 1_000_000)).toBe(59)
  })
})

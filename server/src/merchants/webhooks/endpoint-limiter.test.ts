import { describe, expect, test } from 'vitest'
import { EndpointLimiter } from './endpoint-limiter.ts'
import type { ClaimedStream } from './stream.ts'

const stream = {} as ClaimedStream
const start = (limiter: EndpointLimiter, count: number): number => {
  for (let i = 0; i < count; i += 1) limiter.admit(stream)
  let started = 0
  while (limiter.next()) started += 1
  return started
}

describe('streams of one merchant at once', () => {
  test('one at first, then more with every answer, up to 64 and as many waiting', () => {
    const limiter = new EndpointLimiter()
    const capacities: number[] = []
    for (let i = 0; i < 9; i += 1) {
      capacities.push(limiter.capacity(false))
      limiter.learn('fast')
    }
    expect(capacities).toEqual([1, 4, 8, 16, 32, 64, 128, 128, 128])
    expect(start(limiter, 128)).toBe(64)
    expect(limiter.capacity(false)).toBe(0)
    limiter.leave()
    expect(limiter.next()).toBe(stream)
  })
  test('one for a receiver that is silent, and its waiting streams are given back', () => {
    const limiter = new EndpointLimiter()
    for (let i = 0; i < 9; i += 1) limiter.learn('fast')
    start(limiter, 100)
    expect(limiter.suspect()).toHaveLength(36)
    expect([limiter.capacity(false), limiter.answers, limiter.idle]).toEqual([0, false, false])
    for (let i = 0; i < 64; i += 1) limiter.leave()
    expect([limiter.capacity(false), limiter.capacity(true), limiter.idle]).toEqual([1, 0, false])
    limiter.learn('fast')
    expect([limiter.capacity(true), limiter.idle]).toEqual([4, true])
  })
  test('few for one that answers slowly', () => {
    const limiter = new EndpointLimiter()
    for (let i = 0; i < 9; i += 1) limiter.learn('fast')
    limiter.learn('slow')
    expect(start(limiter, 16)).toBe(8)
    const slow = new EndpointLimiter()
    for (let i = 0; i < 9; i += 1) slow.learn('slow')
    expect(slow.capacity(false)).toBe(16)
  })
})

import { describe, expect, test } from 'vitest'
import { Gate } from './gate.ts'
import type { ClaimedStream } from './stream.ts'

const stream = {} as ClaimedStream
const start = (gate: Gate, count: number): number => {
  for (let i = 0; i < count; i += 1) gate.admit(stream)
  let started = 0
  while (gate.next()) started += 1
  return started
}

describe('streams of one merchant at once', () => {
  test('one at first, then more with every answer, up to 64 and as many waiting', () => {
    const gate = new Gate()
    const rooms: number[] = []
    for (let i = 0; i < 9; i += 1) {
      rooms.push(gate.room(false))
      gate.learn('fast')
    }
    expect(rooms).toEqual([1, 4, 8, 16, 32, 64, 128, 128, 128])
    expect(start(gate, 128)).toBe(64)
    expect(gate.room(false)).toBe(0)
    gate.leave()
    expect(gate.next()).toBe(stream)
  })
  test('one for a receiver that is silent, and its waiting streams are given back', () => {
    const gate = new Gate()
    for (let i = 0; i < 9; i += 1) gate.learn('fast')
    start(gate, 100)
    expect(gate.suspect()).toHaveLength(36)
    expect([gate.room(false), gate.answers, gate.idle]).toEqual([0, false, false])
    for (let i = 0; i < 64; i += 1) gate.leave()
    expect([gate.room(false), gate.room(true), gate.idle]).toEqual([1, 0, false])
    gate.learn('fast')
    expect([gate.room(true), gate.idle]).toEqual([4, true])
  })
  test('few for one that answers slowly', () => {
    const gate = new Gate()
    for (let i = 0; i < 9; i += 1) gate.learn('fast')
    gate.learn('slow')
    expect(start(gate, 16)).toBe(8)
    const slow = new Gate()
    for (let i = 0; i < 9; i += 1) slow.learn('slow')
    expect(slow.room(false)).toBe(16)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import { streamMoves, type StreamEvent, type StreamState } from './machine.ts'
import { afterFailure, SCHEDULED_ATTEMPTS } from './schedule.ts'
import { settle, type Attempt, type ClaimedStream } from './stream.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

describe('the table', () => {
  test.each<[StreamState, StreamEvent, StreamState, string[]]>([
    ['active', 'accepted', 'active', []],
    ['active', 'refused', 'active', ['try-later']],
    ['active', 'ranOut', 'exhausted', ['try-daily', 'alert']],
    ['active', 'restarted', 'active', []],
    ['exhausted', 'accepted', 'active', ['restart-endpoint']],
    ['exhausted', 'refused', 'exhausted', ['try-daily']],
    ['exhausted', 'ranOut', 'exhausted', ['wait-for-owner']],
    ['exhausted', 'restarted', 'active', []],
  ])('%s, %s: %s', (state, event, to, effects) => {
    expect(moveOf(streamMoves, state, event)).toEqual({ to, effects })
  })
  test('nothing is ever dropped: every event leads somewhere from every state', () => {
    for (const event of ['accepted', 'refused', 'ranOut', 'restarted'] as const) {
      expect(statesTaking(streamMoves, event)).toEqual(['active', 'exhausted'])
    }
  })
})

describe('the schedule', () => {
  test('11 attempts over exactly 8 h 10 min, then one a day for 7 days, then no more', () => {
    let state: StreamState = 'active'
    let at = 0
    const times = [at]
    const states: StreamState[] = []
    for (let failures = 1; ; failures += 1) {
      const retry = afterFailure(state, failures, at)
      states.push((state = retry.state))
      if (retry.nextAt === null) break
      times.push((at = retry.nextAt))
    }
    const gaps = times.slice(1).map((time, i) => time - times[i]!)
    expect(gaps).toEqual([
      ...[10, 25, 40, 55, 60, 60, 60, 60, 60, 60].map((minutes) => minutes * MINUTE),
      ...Array.from({ length: 7 }, () => DAY),
    ])
    expect(times[SCHEDULED_ATTEMPTS - 1]).toBe((8 * 60 + 10) * MINUTE)
    expect(states.indexOf('exhausted')).toBe(SCHEDULED_ATTEMPTS - 1)
  })
})

describe('the outcomes of a claim', () => {
  const streamOf = (count: number, more: Partial<ClaimedStream>): ClaimedStream => ({
    receiverId: 'm',
    merchantId: 'm',
    objectId: 'o',
    epoch: 1,
    state: 'active',
    failures: 0,
    lastSequence: count,
    ownLane: false,
    leaseUntil: 0,
    events: Array.from({ length: count }, (_, i) => ({ sequence: i + 1, id: `e${i}`, body: '{}' })),
    ...more,
  })
  const attempt = (sequence: number, status: number, number = 1): Attempt => ({
    sequence,
    number,
    at: 1_000,
    status,
    error: null,
    durationMs: 1,
  })

  test('delivers up to the first refusal and counts failures of that event only', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 16 }),
        fc.nat(15),
        fc.nat(9),
        fc.nat(5),
        (count, stop, failures, beyond) => {
          const refusedAt = stop % count
          const stream = streamOf(count, { failures, lastSequence: count + beyond })
          const attempts = Array.from({ length: refusedAt + 1 }, (_, i) =>
            attempt(i + 1, i === refusedAt ? 500 : 200, i === 0 ? failures + 1 : 1),
          )
          const settled = settle(stream, attempts, { kind: 'failed' })
          expect(settled).toMatchObject({
            nextSequence: refusedAt + 1,
            finished: false,
            ownLane: true,
            state: 'active',
          })
          expect(settled.failures).toBe(refusedAt === 0 ? failures + 1 : 1)
          expect(settled.nextAt).toBeGreaterThan(1_000)
        },
      ),
    )
  })
  test('is finished only when nothing is known to be left', () => {
    expect(settle(streamOf(2, {}), [attempt(1, 200), attempt(2, 204)], { kind: 'delivered' })).toMatchObject({
      finished: true,
      nextSequence: 3,
    })
    expect(
      settle(streamOf(2, { lastSequence: 9 }), [attempt(1, 200), attempt(2, 204)], { kind: 'delivered' }),
    ).toMatchObject({ finished: false, nextSequence: 3, nextAt: undefined, failures: 0 })
  })
  test('handed back untried, it is as it was', () => {
    expect(
      settle(streamOf(2, { failures: 4, state: 'exhausted' }), [], { kind: 'untried', ownLane: true }),
    ).toMatchObject({
      nextSequence: 1,
      finished: false,
      failures: 4,
      state: 'exhausted',
      effects: [],
      nextAt: undefined,
      ownLane: true,
    })
  })
  test('a success after exhaustion restarts the endpoint, even when the next event fails', () => {
    const stream = streamOf(2, { failures: 13, state: 'exhausted' })
    const settled = settle(stream, [attempt(1, 200, 14), attempt(2, 500)], { kind: 'failed' })
    expect(settled).toMatchObject({
      state: 'active',
      failures: 1,
      effects: ['restart-endpoint', 'try-later'],
      nextAt: 1_000 + 10 * MINUTE,
    })
  })
})

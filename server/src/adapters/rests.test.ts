import { expect, test } from 'vitest'
import { createRests } from './rests.ts'

const DAY = 86_400_000

test.each([
  [429, undefined, 60_000],
  [429, '2', 2_000],
  [418, undefined, 120_000],
  [418, '259200', 3 * DAY],
  [403, undefined, 300_000],
  [429, '999999999', 3 * DAY],
  [429, 'Fri, 27 Nov 2026 10:00:00 GMT', 60_000],
  [429, '-5', 60_000],
])(
  'audit D-B9: HTTP %i with Retry-After %s is a rest of %i ms, for that provider alone (row V-5)',
  (status, retryAfter, ms) => {
    let now = 1_000
    const rests = createRests(() => now)
    rests.heard('binance', { status, retryAfter })
    expect([rests.until('binance'), rests.until('kraken')]).toEqual([1_000 + ms, undefined])
    now += ms
    expect(rests.until('binance')).toBeUndefined()
  },
)

test('audit D-B9: a shorter rest does not end a longer one, and other answers begin no rest (row V-5)', () => {
  const rests = createRests(() => 0)
  rests.heard('binance', { status: 418, retryAfter: '600' })
  rests.heard('binance', { status: 429, retryAfter: '1' })
  rests.heard('kraken', { status: 500, retryAfter: '10' })
  expect([rests.until('binance'), rests.until('kraken')]).toEqual([600_000, undefined])
})

import { expect, test } from 'vitest'
import { carryOn, daysUntil, spanOf } from './days.ts'

test('a chart ends with the day of now, in UTC, over the end of a year', () => {
  const days = daysUntil(Date.UTC(2027, 0, 2, 23, 59), 7)
  expect([days[0], days.at(-1), days.length]).toEqual(['2026-12-27', '2027-01-02', 7])
  expect(daysUntil(Date.UTC(2026, 10, 28), 90)).toHaveLength(90)
})

test('a span that is not offered is the first one', () => {
  expect([spanOf('7'), spanOf('90'), spanOf(undefined), spanOf('8'), spanOf('-1'), spanOf('7.0')]).toEqual([
    7, 90, 30, 30, 30, 30,
  ])
})

test('a balance holds until the next day with entries', () => {
  const balances = carryOn(
    ['2026-01-02', '2026-01-03', '2026-01-04'],
    [
      { day: '2025-12-01', asset: 'BTC', units: 5n },
      { day: '2026-01-03', asset: 'USDT', units: 7n },
      { day: '2026-01-04', asset: 'BTC', units: 0n },
    ],
  )
  expect(balances.map((one) => Object.fromEntries(one))).toEqual([
    { BTC: 5n },
    { BTC: 5n, USDT: 7n },
    { BTC: 0n, USDT: 7n },
  ])
})

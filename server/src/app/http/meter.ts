import type { Figure } from '../../platform/process/metrics.ts'

/** Counts what was answered, and how long it took. */
export interface RequestMeter {
  /** @param operation the contract's id, or empty for what is no operation */
  note(operation: string, status: number, ms: number): void
  readonly figures: readonly Figure[]
}

/** Upper ends of the ranges that times are counted in, ms. */
const RANGES_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

interface Times {
  /** by range; the last is for what took longer than all of them */
  counts: number[]
  sumMs: number
}

export const createRequestMeter = (): RequestMeter => {
  const answered = new Map<string, { operation: string; status: number; count: number }>()
  const times = new Map<string, Times>()
  return {
    note: (operation, status, ms) => {
      const key = `${operation} ${status}`
      const line = answered.get(key)
      if (line) line.count += 1
      else answered.set(key, { operation, status, count: 1 })
      let taken = times.get(operation)
      if (!taken)
        times.set(operation, (taken = { counts: Array.from({ length: RANGES_MS.length + 1 }, () => 0), sumMs: 0 }))
      const range = RANGES_MS.findIndex((end) => ms <= end)
      taken.counts[range < 0 ? RANGES_MS.length : range]! += 1
      taken.sumMs += ms
    },
    figures: [
      {
        name: 'bursar_requests_total',
        help: 'Requests answered, by operation and HTTP status',
        labels: ['operation', 'status'],
        kind: 'counter',
        read: async () =>
          [...answered.values()].map(({ operation, status, count }) => ({
            labels: { operation, status: String(status) },
            value: count,
          })),
      },
      {
        name: 'bursar_request_seconds_bucket',
        help: 'Requests answered within a time, by operation',
        labels: ['operation', 'le'],
        kind: 'counter',
        read: async () => [...times].flatMap(([operation, { counts }]) => bucketsOf(operation, counts)),
      },
      {
        name: 'bursar_request_seconds_sum',
        help: 'Time taken by all requests, by operation',
        labels: ['operation'],
        kind: 'counter',
        read: async () => [...times].map(([operation, { sumMs }]) => ({ labels: { operation }, value: sumMs / 1_000 })),
      },
      {
        name: 'bursar_request_seconds_count',
        help: 'Requests answered, by operation',
        labels: ['operation'],
        kind: 'counter',
        read: async () =>
          [...times].map(([operation, { counts }]) => ({
            labels: { operation },
            value: counts.reduce((a, b) => a + b, 0),
          })),
      },
    ],
  }
}

/** Prometheus wants each range to hold all smaller ones too. */
const bucketsOf = (
  operation: string,
  counts: readonly number[],
): { labels: Record<string, string>; value: number }[] => {
  let below = 0
  return counts.map((count, i) => {
    below += count
    return { labels: { operation, le: i === RANGES_MS.length ? '+Inf' : String(RANGES_MS[i]! / 1_000) }, value: below }
  })
}

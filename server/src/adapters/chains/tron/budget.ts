import { NoAnswer } from '../exchange.ts'
import type { Timer } from '../pauses.ts'

/** Maximum requests of a process per second and per day. Absent: no limit. */
export interface Budget {
  perSecond?: number | undefined
  perDay?: number | undefined
}

const SECOND_MS = 1_000
const DAY_MS = 24 * 60 * 60 * SECOND_MS
/** Fraction of a time span's requests that may be sent at once after an idle time. */
const BURST = { second: 1 / 3, day: 1 / 24 }
/** Maximum wait of a caller; beyond it, the caller gets the reason and may try again. */
const MOST_WAIT_MS = 10_000

interface Bucket {
  most: number
  left: number
  perMs: number
  filledAt: number
}

/** A token bucket that allows at most `count` requests in any span of `spanMs`, even after an idle time. */
const bucketOf = (count: number, spanMs: number, burst: number, now: number): Bucket => {
  const most = Math.max(1, Math.floor(count * burst))
  return { most, left: most, perMs: Math.max(count - most, count / 2) / spanMs, filledAt: now }
}

/**
 * Returns a function that waits until a request is allowed. It throws `NoAnswer` when the wait would be long, as when
 * the day's requests are used up.
 */
export const createTurns = ({ perSecond, perDay }: Budget, { now, sleep }: Timer): (() => Promise<void>) => {
  const buckets = [
    ...(perSecond === undefined ? [] : [bucketOf(perSecond, SECOND_MS, BURST.second, now())]),
    ...(perDay === undefined ? [] : [bucketOf(perDay, DAY_MS, BURST.day, now())]),
  ]
  return async () => {
    const at = now()
    for (const bucket of buckets) {
      bucket.left = Math.min(bucket.most, bucket.left + (at - bucket.filledAt) * bucket.perMs)
      bucket.filledAt = at
    }
    const waitMs = Math.max(0, ...buckets.map(({ left, perMs }) => (1 - left) / perMs))
    if (waitMs > MOST_WAIT_MS)
      throw new NoAnswer(
        'the requests that the settings allow (requestsPerSecond, requestsPerDay) are used up for now',
        false,
      )
    for (const bucket of buckets) bucket.left -= 1
    if (waitMs > 0) await sleep(waitMs)
  }
}

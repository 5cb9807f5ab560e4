import { NoAnswer } from '../exchange.ts'
import type { Timer } from '../pauses.ts'

/** How many requests a process sends. Absent: as many as it likes. */
export interface Budget {
  perSecond?: number | undefined
  perDay?: number | undefined
}

const SECOND_MS = 1_000
const DAY_MS = 24 * 60 * 60 * SECOND_MS
/** Of what a span of time allows, the part that may go out at once after a rest. */
const BURST = { second: 1 / 3, day: 1 / 24 }
/** No caller waits longer than this: it gets the reason and asks again. */
const MOST_WAIT_MS = 10_000

interface Bucket {
  most: number
  left: number
  perMs: number
  filledAt: number
}

/** In no span of that length more than `count` are let through, whatever was saved up before it. */
const bucketOf = (count: number, spanMs: number, burst: number, now: number): Bucket => {
  const most = Math.max(1, Math.floor(count * burst))
  return { most, left: most, perMs: Math.max(count - most, count / 2) / spanMs, filledAt: now }
}

/**
 * What each request passes: it waits for its turn. Throws `NoAnswer` when that is far off, as when the day's requests
 * are spent.
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

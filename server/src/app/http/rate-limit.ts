/** A bucket per subject that refills evenly: `perMinute` at most at once, and as many each minute. */
export interface RateLimiter {
  /**
   * Counts a call. @param now real time, ms
   * @returns how many more may follow at once, or below zero: the seconds to wait, negated
   */
  take(subject: string, perMinute: number, now: number): number
}

const MOST_SUBJECTS = 50_000
const MINUTE_MS = 60_000

/**
 * Remembers when each subject's bucket is full again. A bucket that was not touched for a minute is full, so two maps
 * that take turns by the minute forget it at no cost; so many subjects that they turn sooner are forgiven some calls.
 */
export const createRateLimiter = (): RateLimiter => {
  let young = new Map<string, number>()
  let old = new Map<string, number>()
  let turnAt = 0
  return {
    take: (subject, perMinute, now) => {
      if (now >= turnAt || young.size >= MOST_SUBJECTS) {
        old = young
        young = new Map()
        turnAt = now + MINUTE_MS
      }
      const cost = MINUTE_MS / perMinute
      const before = young.get(subject) ?? old.get(subject) ?? 0
      // Further ahead than a minute is only what was written before the clock was set back.
      const next = (before > now && before <= now + MINUTE_MS ? before : now) + cost
      const used = next - now
      if (used > MINUTE_MS) return -Math.max(1, Math.ceil((used - MINUTE_MS) / 1_000))
      young.set(subject, next)
      return Math.floor((MINUTE_MS - used) / cost)
    },
  }
}

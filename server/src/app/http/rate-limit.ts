/** A token bucket per subject that refills evenly: at most `perMinute` calls at once, and as many each minute. */
export interface RateLimiter {
  /**
   * Counts a call.
   * @param now real time, ms
   * @returns how many more calls are allowed at once, or if negative, the seconds to wait
   */
  take(subject: string, perMinute: number, now: number): number
}

const MOST_SUBJECTS = 50_000
const MINUTE_MS = 60_000

/**
 * Stores when each subject's bucket is full again. A bucket that was not used for a minute is full, so two maps that
 * swap every minute discard it at no cost. With very many subjects they swap sooner, and some calls are not counted.
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
      // A time more than a minute ahead was stored before the clock was set back.
      const next = (before > now && before <= now + MINUTE_MS ? before : now) + cost
      const used = next - now
      if (used > MINUTE_MS) return -Math.max(1, Math.ceil((used - MINUTE_MS) / 1_000))
      young.set(subject, next)
      return Math.floor((MINUTE_MS - used) / cost)
    },
  }
}

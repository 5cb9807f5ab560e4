/** A bucket per subject that refills evenly: `perMinute` at most at once, and as many each minute. */
export interface RateLimiter {
  /** Seconds to wait when the subject has used up its share, else 0. Counts the call. */
  take(subject: string, perMinute: number, now: number): number
}

const MOST_SUBJECTS = 50_000
const MINUTE_MS = 60_000

export const createRateLimiter = (): RateLimiter => {
  /** when each subject's bucket is full again, ms */
  const fullAt = new Map<string, number>()
  return {
    take: (subject, perMinute, now) => {
      const cost = MINUTE_MS / perMinute
      const until = Math.max(fullAt.get(subject) ?? 0, now)
      const next = until + cost
      if (next - now > MINUTE_MS) return Math.max(1, Math.ceil((next - now - MINUTE_MS) / 1000))
      if (fullAt.size >= MOST_SUBJECTS && !fullAt.has(subject)) forgetFull(fullAt, now)
      fullAt.set(subject, next)
      return 0
    },
  }
}

/** Full buckets are as good as none; when none is full, the oldest goes. */
const forgetFull = (fullAt: Map<string, number>, now: number): void => {
  for (const [subject, at] of fullAt) if (at <= now) fullAt.delete(subject)
  if (fullAt.size >= MOST_SUBJECTS) fullAt.delete(fullAt.keys().next().value!)
}

/**
 * Caches the result of `read`, so that a request needs no query. Concurrent callers share one call; a failed one is not
 * cached.
 * @param forMs maximum age
 * @param now ms; any clock, also one that is set back
 * @param read called when the cached value is older
 */
export const cacheFor = <T>(forMs: number, now: () => number, read: (at: number) => Promise<T>): (() => Promise<T>) => {
  let cached: { at: number; value: Promise<T> } | undefined
  return () => {
    const at = now()
    if (cached === undefined || Math.abs(at - cached.at) > forMs) {
      const reading = { at, value: read(at) }
      cached = reading
      reading.value.catch(() => {
        if (cached === reading) cached = undefined
      })
    }
    return cached.value
  }
}

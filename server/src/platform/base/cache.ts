/**
 * Caches a reading, so that a request costs no query. Concurrent callers share one reading; a reading that failed is
 * not cached. @param forMs how old it may become @param now ms; any clock @param read is called when it is older
 */
export const cacheFor = <T>(forMs: number, now: () => number, read: (at: number) => Promise<T>): (() => Promise<T>) => {
  let cached: { at: number; value: Promise<T> } | undefined
  return () => {
    const at = now()
    if (cached === undefined || at - cached.at > forMs) {
      const reading = { at, value: read(at) }
      cached = reading
      reading.value.catch(() => {
        if (cached === reading) cached = undefined
      })
    }
    return cached.value
  }
}

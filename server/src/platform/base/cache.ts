/**
 * A reading that serves every caller for a while, so that a request costs no query. Concurrent callers share one; one
 * that failed is not kept. @param forMs how old it may become @param now ms @param read is called when it is
 */
export const cacheFor = <T>(forMs: number, now: () => number, read: (at: number) => Promise<T>): (() => Promise<T>) => {
  let kept: { at: number; value: Promise<T> } | undefined
  return () => {
    const at = now()
    if (kept === undefined || at - kept.at > forMs) {
      const value = read(at)
      kept = { at, value }
      value.catch(() => {
        kept = undefined
      })
    }
    return kept.value
  }
}

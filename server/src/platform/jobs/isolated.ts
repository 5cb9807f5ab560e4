/**
 * Calls `work` for each thing, in order. A failure does not prevent the following calls.
 * @throws the first failure, after all calls: the loop logs it, raises an alert if it lasts, and pauses longer
 */
export const forEachIsolated = async <T>(things: Iterable<T>, work: (thing: T) => Promise<unknown>): Promise<void> => {
  const fail = await isolated(things, work)
  fail()
}

/** The same for a caller with further work to do: returns a function that throws the first failure. */
export const isolated = async <T>(things: Iterable<T>, work: (thing: T) => Promise<unknown>): Promise<() => void> => {
  const failures: unknown[] = []
  for (const thing of things) {
    try {
      await work(thing)
    } catch (error) {
      failures.push(error)
    }
  }
  return () => throwFirst(failures)
}

/** The same concurrently: returns the successful results, and a function that throws the first failure. */
export const allIsolated = async <T, R>(
  things: Iterable<T>,
  work: (thing: T) => Promise<R>,
): Promise<{ results: R[]; fail(): void }> => {
  const settled = await Promise.allSettled([...things].map(work))
  const results = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  return { results, fail: () => throwFirst(failures) }
}

const throwFirst = (failures: readonly unknown[]): void => {
  if (failures.length > 1)
    throw new Error(`${failures.length} things failed, each by itself; the first of them`, { cause: failures[0] })
  if (failures.length === 1) throw failures[0]
}

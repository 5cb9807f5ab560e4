import { setTimeout as sleep } from 'node:timers/promises'
import { cacheFor } from '../../platform/base/cache.ts'

/** One look serves all requests within this time, so that frequent probes cause no load. */
const CACHED_MS = 1_000
/** Shorter than the usual timeout of a probe, which is one second or more in Kubernetes and HAProxy, times a few. */
const LONGEST_CHECK_MS = 3_000

/**
 * Whether a process can do the work of its role. It is not ready before all of its parts have started, while one of its
 * checks fails, and from the moment at which it is asked to stop.
 */
export interface Readiness {
  /** @param check rejects, or does not answer within 3 seconds, while the process cannot do its work */
  add(name: string, check: () => Promise<unknown>): void
  /** All parts have started. */
  began(): void
  /** The process finishes its work and takes no new work. It is never ready again. */
  stops(): void
  isStopping(): boolean
  /** The reasons why it is not ready, such as `signer: does not answer`; empty when it is ready. */
  missing(): Promise<readonly string[]>
}

export const createReadiness = (): Readiness => {
  const checks = new Map<string, () => Promise<unknown>>()
  let state: 'starts' | 'serves' | 'stops' = 'starts'
  const look = cacheFor(
    CACHED_MS,
    () => performance.now(),
    async () => (await Promise.all([...checks].map(([name, check]) => reasonOf(name, check)))).flat(),
  )
  return {
    add: (name, check) => void checks.set(name, check),
    began: () => {
      if (state === 'starts') state = 'serves'
    },
    stops: () => {
      state = 'stops'
    },
    isStopping: () => state === 'stops',
    missing: async () => (state === 'serves' ? look() : [`process: it ${state}`]),
  }
}

/** The error's text is for the inner address only: it may name hosts. */
const reasonOf = async (name: string, check: () => Promise<unknown>): Promise<string[]> => {
  const waiting = new AbortController()
  try {
    const late = sleep(LONGEST_CHECK_MS, undefined, { ref: false, signal: waiting.signal }).then(() => {
      throw new Error(`no answer within ${LONGEST_CHECK_MS} ms`)
    })
    await Promise.race([check(), late])
    return []
  } catch (error) {
    return [`${name}: ${(error as Error).message}`]
  } finally {
    waiting.abort()
  }
}

import type { Job } from './job.ts'

/**
 * Runs jobs one after another until a whole round finds nothing to do. For tests and the simulation, where nothing may
 * depend on timers. Throws when the jobs do not settle within `most` rounds.
 */
export const runUntilIdle = async (jobs: readonly Job[], most = 100): Promise<void> => {
  const signal = new AbortController().signal
  for (let round = 0; round < most; round += 1) {
    let more = false
    for (const job of jobs) more = (await job.run(signal)) || more
    if (!more) return
  }
  throw new Error(`jobs did not come to rest in ${most} rounds`)
}

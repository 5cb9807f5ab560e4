import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Job } from './job.ts'

export interface JobLoop {
  /** Ends after the runs under way; resolves when all have ended. */
  stop(): Promise<void>
}

const LONGEST_PAUSE_MS = 30_000

/** Runs each job for itself, for ever, until stopped. */
export const createJobLoop = (jobs: readonly Job[], log: Logger): JobLoop => {
  const stopping = new AbortController()
  const loops = jobs.map((job) => runForEver(job, log.child({ job: job.name }), stopping.signal))
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

const runForEver = async (job: Job, log: Logger, signal: AbortSignal): Promise<void> => {
  let failures = 0
  while (!signal.aborted) {
    let more = false
    try {
      more = await job.run(signal)
      failures = 0
    } catch (error) {
      failures += 1
      log.error({ err: error, failures }, 'job failed, will run again')
    }
    if (more) continue
    const pause = failures === 0 ? job.everyMs : Math.min(Math.max(job.everyMs, 250) * 2 ** failures, LONGEST_PAUSE_MS)
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}

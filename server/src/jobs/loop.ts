import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Job } from './job.ts'

export interface JobLoop {
  /** Ends after the runs under way; resolves when all have ended. */
  stop(): Promise<void>
}

/** Hears of jobs that no longer do their work. */
export interface JobWatch {
  /** the real clock, ms */
  now(): number
  /** a job has done nothing but fail since then; told again with each further failure */
  failing(name: string, sinceMs: number): Promise<void>
  /** a job's first success, after a start and after it was failing */
  well(name: string): Promise<void>
}

const LONGEST_PAUSE_MS = 30_000
/** A node that is started again, a database that changes hands: nobody needs to be called for less. */
const FAILING_AFTER_MS = 5 * 60_000

/** Runs each job for itself, for ever, until stopped. `failingAfterMs`: of failures only, before somebody is told. */
export const createJobLoop = (jobs: readonly Job[], log: Logger, watch?: JobWatch, failingAfterMs = FAILING_AFTER_MS): JobLoop => {
  const stopping = new AbortController()
  const loops = jobs.map((job) => runForEver(job, log.child({ job: job.name }), stopping.signal, watch ? watched(job.name, log, watch, failingAfterMs) : async () => {}))
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

type Outcome = 'done' | 'failed'

/** Tells what lasts. Telling may fail as well, without a database above all: it is said again with the next outcome. */
const watched = (name: string, log: Logger, watch: JobWatch, failingAfterMs: number) => {
  let since: number | undefined
  let isKnownWell = false
  return async (outcome: Outcome): Promise<void> => {
    since = outcome === 'done' ? undefined : (since ?? watch.now())
    try {
      if (since === undefined && !isKnownWell) {
        await watch.well(name)
        isKnownWell = true
      }
      if (since !== undefined && watch.now() - since >= failingAfterMs) {
        isKnownWell = false
        await watch.failing(name, since)
      }
    } catch (error) {
      log.error({ err: error, job: name }, 'how a job fares could not be told')
    }
  }
}

const runForEver = async (job: Job, log: Logger, signal: AbortSignal, tell: (outcome: Outcome) => Promise<void>): Promise<void> => {
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
    await tell(failures === 0 ? 'done' : 'failed')
    if (more) continue
    const pause = failures === 0 ? job.everyMs : Math.min(Math.max(job.everyMs, 250) * 2 ** failures, LONGEST_PAUSE_MS)
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}

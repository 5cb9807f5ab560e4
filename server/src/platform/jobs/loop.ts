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
  /** a job has done nothing but fail since then; raised again with each further failure */
  failing(name: string, sinceMs: number): Promise<void>
  /** a run of a job has not ended since it began then; raised again as long as it does not */
  standing(name: string, sinceMs: number): Promise<void>
  /** a job's first success, after a start and after it was failing */
  well(name: string): Promise<void>
}

const LONGEST_PAUSE_MS = 30_000
/** A node that is started again, a database that changes hands: nobody needs to be called for less. */
const FAILING_AFTER_MS = 5 * 60_000
const LOOK_EVERY_MS = 30_000

/**
 * Runs each job for itself, for ever, until stopped. `failingAfterMs`: of failures only, or in one run, before an alert
 * is raised.
 */
export const createJobLoop = (
  jobs: readonly Job[],
  log: Logger,
  watch?: JobWatch,
  failingAfterMs = FAILING_AFTER_MS,
): JobLoop => {
  const stopping = new AbortController()
  const told = jobs.map((job) => (watch ? watched(job, log, watch, failingAfterMs) : UNWATCHED))
  const loops = jobs.map((job, i) => runForEver(job, log.child({ job: job.name }), stopping.signal, told[i]!))
  // Apart from the loops: one that stands still can't say so itself.
  const looking = setInterval(() => told.forEach(({ look }) => void look()), Math.min(LOOK_EVERY_MS, failingAfterMs))
  looking.unref()
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(loops)
      clearInterval(looking)
    },
  }
}

type Outcome = 'done' | 'failed'

interface Told {
  begins(): void
  ends(outcome: Outcome): Promise<void>
  /** looks whether the run under way has taken too long */
  look(): Promise<void>
}

const UNWATCHED: Told = { begins: () => {}, ends: async () => {}, look: async () => {} }

/** Tells what lasts. Telling may fail as well, without a database above all: it is said again with the next outcome. */
const watched = ({ name, longestMs }: Job, log: Logger, watch: JobWatch, failingAfterMs: number): Told => {
  let failingSince: number | undefined
  let startedAt: number | undefined
  let isKnownWell = false
  const telling = (tell: () => Promise<void>): Promise<void> =>
    tell().catch((error: unknown) => log.error({ err: error, job: name }, 'how a job fares could not be told'))
  return {
    begins: () => {
      startedAt = watch.now()
    },
    ends: (outcome) => {
      startedAt = undefined
      const since = (failingSince = outcome === 'done' ? undefined : (failingSince ?? watch.now()))
      return telling(async () => {
        if (since === undefined && !isKnownWell) {
          await watch.well(name)
          isKnownWell = true
        }
        if (since !== undefined && watch.now() - since >= failingAfterMs) {
          isKnownWell = false
          await watch.failing(name, since)
        }
      })
    },
    look: async () => {
      const since = startedAt
      if (since === undefined || watch.now() - since < (longestMs ?? failingAfterMs)) return
      isKnownWell = false
      log.error({ job: name, since: new Date(since) }, 'job stands still')
      await telling(() => watch.standing(name, since))
    },
  }
}

const runForEver = async (job: Job, log: Logger, signal: AbortSignal, told: Told): Promise<void> => {
  let failures = 0
  while (!signal.aborted) {
    let more = false
    told.begins()
    try {
      more = await job.run(signal)
      failures = 0
    } catch (error) {
      failures += 1
      log.error({ err: error, failures }, 'job failed, will run again')
    }
    await told.ends(failures === 0 ? 'done' : 'failed')
    if (more) continue
    const pause = failures === 0 ? job.everyMs : Math.min(Math.max(job.everyMs, 250) * 2 ** failures, LONGEST_PAUSE_MS)
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}

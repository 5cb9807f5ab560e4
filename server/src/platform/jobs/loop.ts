import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { inUnit, isTracing } from '../traces/tracing.ts'
import type { Job } from './job.ts'

export interface JobLoop {
  /**
   * Ends the pause of a job that has new work, also a pause that has not begun. A pause after a failure goes on. Does
   * nothing for a name without a job.
   */
  wake(name: string): void
  /** A commit may have made work for any job: a pause ends once it has lasted for the job's `everyMs`. */
  announce(): void
  /** Starts no further runs; resolves when those in progress have ended. */
  stop(): Promise<void>
}

/** Is notified of jobs that fail or hang. */
export interface JobWatch {
  /** the real clock, ms */
  now(): number
  /** every run of a job has failed since then; called again after each further failure */
  failing(name: string, sinceMs: number): Promise<void>
  /** a run of a job has not ended since it began then; called repeatedly until it ends */
  stuck(name: string, sinceMs: number): Promise<void>
  /** a job has succeeded for the first time after a start or after it was failing */
  well(name: string): Promise<void>
  /** a run of a job has ended, after this time in ms */
  ran?(name: string, outcome: Outcome, ms: number): void
}

const LONGEST_PAUSE_MS = 30_000
/** Longer than a restart of a node or a failover of the database takes. */
const FAILING_AFTER_MS = 5 * 60_000
const LOOK_EVERY_MS = 30_000

/**
 * Runs each job in its own loop until stopped.
 * @param failingAfterMs how long a job must fail, or one of its runs take, before an alert is raised
 */
export const createJobLoop = (
  jobs: readonly Job[],
  log: Logger,
  watch?: JobWatch,
  failingAfterMs = FAILING_AFTER_MS,
): JobLoop => {
  const stopping = new AbortController()
  const monitors = jobs.map((job) => (watch ? monitor(job, log, watch, failingAfterMs) : UNWATCHED))
  const pauses = new Map(jobs.map((job) => [job.name, createPause(job, stopping.signal)]))
  const loops = jobs.map((job, i) =>
    runLoop(job, log.child({ job: job.name }), stopping.signal, monitors[i]!, {
      pause: pauses.get(job.name)!,
      woken: (job.wakes ?? []).flatMap((name) => pauses.get(name) ?? []),
    }),
  )
  // On a timer, because a loop that hangs can't report itself.
  const looking = setInterval(
    () => monitors.forEach(({ look }) => void look()),
    Math.min(LOOK_EVERY_MS, failingAfterMs),
  )
  looking.unref()
  return {
    wake: (name) => pauses.get(name)?.end(),
    announce: () => pauses.forEach(({ announce }) => announce()),
    stop: async () => {
      stopping.abort()
      await Promise.all(loops)
      clearInterval(looking)
    },
  }
}

type Outcome = 'done' | 'failed'

interface Monitor {
  begins(): void
  ends(outcome: Outcome): Promise<void>
  /** checks whether the run in progress has taken too long */
  look(): Promise<void>
}

const UNWATCHED: Monitor = { begins: () => {}, ends: async () => {}, look: async () => {} }

/** Reports a lasting state to `watch`. If that fails, as without a database, the next run repeats it. */
const monitor = ({ name, longestMs }: Job, log: Logger, watch: JobWatch, failingAfterMs: number): Monitor => {
  let failingSince: number | undefined
  let startedAt: number | undefined
  let isKnownWell = false
  const report = (send: () => Promise<void>): Promise<void> =>
    send().catch((error: unknown) => log.error({ err: error, job: name }, 'the state of a job could not be stored'))
  return {
    begins: () => {
      startedAt = watch.now()
    },
    ends: (outcome) => {
      if (startedAt !== undefined) watch.ran?.(name, outcome, watch.now() - startedAt)
      startedAt = undefined
      const since = (failingSince = outcome === 'done' ? undefined : (failingSince ?? watch.now()))
      return report(async () => {
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
      log.error({ job: name, since: new Date(since) }, 'job makes no progress')
      await report(() => watch.stuck(name, since))
    },
  }
}

interface Pause {
  /** A run begins: it sees the work that was announced before. */
  runBegins(): void
  /** resolves when the pause is over, when the loop is stopped, or when the pause is ended */
  over(): Promise<void>
  /** ends the pause; one that has not begun is skipped */
  end(): void
  /** the pause that lasts or comes next is no longer than `everyMs` */
  announce(): void
  /** the next pauses are short, because there was work */
  foundWork(): void
}

const createPause = ({ everyMs, idleMs = everyMs }: Job, stopped: AbortSignal): Pause => {
  let ended = new AbortController()
  let announced = new AbortController()
  /** what the next pause lasts in addition to `everyMs` */
  let extraMs = 0
  const end = (): void => {
    ended.abort()
    announced.abort()
  }
  const rest = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})
  stopped.addEventListener('abort', end)
  return {
    runBegins: () => {
      announced = new AbortController()
    },
    over: async () => {
      await rest(everyMs, ended.signal)
      const hasWork = (): boolean => announced.signal.aborted || ended.signal.aborted
      if (extraMs > 0 && !hasWork()) await rest(extraMs, announced.signal)
      extraMs = hasWork() ? 0 : Math.max(0, Math.min(everyMs + 2 * extraMs, idleMs - everyMs))
      ended = new AbortController()
    },
    end,
    announce: () => announced.abort(),
    foundWork: () => {
      extraMs = 0
    },
  }
}

interface Pauses {
  pause: Pause
  /** the pauses of the jobs that this one wakes */
  woken: readonly Pause[]
}

const runLoop = async (
  job: Job,
  log: Logger,
  signal: AbortSignal,
  monitored: Monitor,
  { pause, woken }: Pauses,
): Promise<void> => {
  let failures = 0
  while (!signal.aborted) {
    let more = false
    monitored.begins()
    pause.runBegins()
    try {
      more = await (isTracing() ? inUnit(unitOf(job), () => job.run(signal)) : job.run(signal))
      failures = 0
    } catch (error) {
      failures += 1
      log.error({ err: error, failures }, 'job failed; it will run again')
    }
    await monitored.ends(failures === 0 ? 'done' : 'failed')
    if (more) {
      pause.foundWork()
      for (const other of woken) other.end()
      continue
    }
    // A pause after a failure is not ended early.
    if (failures === 0) await pause.over()
    else await sleep(pauseAfter(failures, job), undefined, { signal }).catch(() => {})
  }
}

const unitOf = ({ name }: Job): Parameters<typeof inUnit>[0] => ({
  name: `job ${name}`,
  kind: 'internal',
  attributes: {},
})

const pauseAfter = (failures: number, { everyMs }: Job): number =>
  Math.min(Math.max(everyMs, 250) * 2 ** failures, LONGEST_PAUSE_MS)

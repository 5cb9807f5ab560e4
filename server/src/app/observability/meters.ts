import { Counter, Histogram, type Metric } from 'prom-client'
import type { Signer } from '../../adapters/signer/index.ts'
import type { JobWatch } from '../../platform/jobs/index.ts'

/** Counts that one process makes for its own registry. */
interface Meter {
  /** for the registry of the inner server only */
  readonly metrics: readonly Metric[]
}

/** Upper bounds of durations, in seconds: a job may wait for a chain or a mail server. */
const RANGES = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]

/** Counts runs of background jobs and their durations. */
export const createJobMeter = (): Meter & Required<Pick<JobWatch, 'ran'>> => {
  const runs = new Counter({
    name: 'bursar_job_runs_total',
    help: 'Runs of background jobs that ended, by job and outcome (done, failed)',
    labelNames: ['job', 'outcome'],
    registers: [],
  })
  const seconds = new Histogram({
    name: 'bursar_job_seconds',
    help: 'Time that a run of a job took, by job',
    labelNames: ['job'],
    buckets: RANGES,
    registers: [],
  })
  return {
    ran: (job, outcome, ms) => {
      runs.inc({ job, outcome })
      seconds.observe({ job }, Math.max(0, ms) / 1_000)
    },
    metrics: [runs, seconds],
  }
}

const CALLS = ['sign', 'transactionsOf', 'closeIntent', 'check', 'status', 'waiting'] as const

/** Counts calls of the signer: answered, refused, or without a reliable answer. */
export const createSignerMeter = (): Meter & { metered<Connected extends Signer>(signer: Connected): Connected } => {
  const seconds = new Histogram({
    name: 'bursar_signer_seconds',
    help: 'Time that the signer took to answer, by call and outcome (answered, refused, unavailable)',
    labelNames: ['call', 'outcome'],
    buckets: RANGES,
    registers: [],
  })
  const timed = async <T>(call: string, work: () => Promise<T>): Promise<T> => {
    const since = performance.now()
    let outcome = 'unavailable'
    try {
      const answer = await work()
      outcome = typeof answer === 'object' && answer !== null && 'refused' in answer ? 'refused' : 'answered'
      return answer
    } finally {
      seconds.observe({ call, outcome }, (performance.now() - since) / 1_000)
    }
  }
  return {
    metered: (signer) =>
      new Proxy(signer, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name, target)
          if (typeof member !== 'function') return member
          const call = member.bind(target) as (...args: unknown[]) => Promise<unknown>
          const isCall = (CALLS as readonly (string | symbol)[]).includes(name)
          return isCall ? (...args: unknown[]) => timed(String(name), () => call(...args)) : call
        },
      }),
    metrics: [seconds],
  }
}

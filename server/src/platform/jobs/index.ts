/**
 * Background work. Work is queued in the modules' own tables; a job does a bounded piece of it and returns whether more
 * is waiting. Guarantees:
 * - one job never runs twice at once in a process;
 * - a failed run is logged and retried with growing pauses, and raises an alert when failures persist;
 * - a run that hangs raises an alert;
 * - pauses of jobs that answer to commits grow to a second while there is nothing to do;
 * - stopping waits for runs in progress.
 */
export { allIsolated, forEachIsolated, isolated } from './isolated.ts'
export { createJobLoop } from './loop.ts'
export type { JobLoop, JobWatch } from './loop.ts'
export { runUntilIdle } from './deterministic.ts'
export { IDLE_MS } from './job.ts'
export type { Job } from './job.ts'

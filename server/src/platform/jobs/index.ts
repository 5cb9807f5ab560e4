/**
 * Background work. What is to be done lies in the modules' own tables; a job looks there, does a bounded piece of it
 * and says whether more waits. Promises that one job never runs twice at once in a process, that an error is logged,
 * tried again later with growing pauses and raised as an alert when it lasts, that a run which stands still raises an
 * alert, and that stopping waits for what is running.
 */
export { allIsolated, forEachIsolated, isolated } from './isolated.ts'
export { createJobLoop } from './loop.ts'
export type { JobWatch } from './loop.ts'
export { runUntilIdle } from './deterministic.ts'
export type { Job } from './job.ts'

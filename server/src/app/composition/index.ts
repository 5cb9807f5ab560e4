/**
 * The composition root: the only place that knows every module. Each file composes what one role, or one part of the
 * product, is made of; commands and `main.ts` stand on it.
 */
export { createApi } from './api.ts'

export { createChainSubscribers } from './chain-subscribers.ts'
export { createNodeFitnessJob, requireFitNode } from './node-fitness.ts'
export { createWatchers } from './watchers.ts'
export { createWorkerJobs } from './worker.ts'
export type { World } from './world.ts'

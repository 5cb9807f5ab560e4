/**
 * The composition root: the only place that imports every module. Each file composes one role, or one part of the
 * product. Commands and `main.ts` use these functions.
 */
export { createApi } from './api.ts'

export { createChainSubscribers } from './chain-subscribers.ts'
export { createNodeFitnessJob, createNodeStatusJob, requireFitNode } from './node-fitness.ts'
export { surveyDecimals } from './token-decimals.ts'
export { createWatchers } from './watchers.ts'
export { createWorkerJobs } from './worker.ts'
export type { World } from './world.ts'

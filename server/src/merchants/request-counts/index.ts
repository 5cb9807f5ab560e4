/**
 * Counts of signed requests to the API, for developers of a merchant. Guarantees:
 * - a request only changes memory; a process writes one row for each key, operation and hour, once a minute;
 * - counts of the last week are there; they are deleted after eight days;
 * - counts of the last minute are lost when a process is killed: they are no proof of anything.
 */
export { createRequestCounts } from './counting.ts'
export type { SignedRequest } from './counting.ts'
export { createCountPruneJob } from './pruning.ts'
export { countsOf, type OperationCounts } from './reading.ts'

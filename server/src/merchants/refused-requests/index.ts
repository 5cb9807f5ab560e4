/**
 * The log of refused requests to the API, for developers of a merchant. Guarantees:
 * - a request only changes memory; rows are written every few seconds, and a bounded number of them;
 * - a merchant has at most its newest 1,000 signed rows and 200 unsigned rows of 30 days;
 * - rows contain no body, no query, no signature and no card number.
 */
export { createRefusalLog } from './recording.ts'
export type { RefusedRequest } from './recording.ts'
export { listRefused } from './listing.ts'
export { createRefusalPruneJob } from './pruning.ts'

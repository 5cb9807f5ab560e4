/**
 * The HTTP server of the merchant API. Guarantees:
 * - a request reaches an operation only after its signature, age, rate, JSON and schema are checked, in the order of
 *   `contract.md` 19 #1;
 * - the signature is checked over the bytes that were received;
 * - every refusal names the change that the client must make, or the things to check where the server must not say
 *   which one is wrong.
 */
export { createHttpServer } from './server.ts'
export type { HttpDeps } from './server.ts'
export { STREAM_LIMITS } from './page-streams.ts'
export type { HostedPages } from './page-server.ts'
export { createAnswerPruneJob } from './jobs.ts'
export { createRequestMeter } from './meter.ts'
export type { RequestMeter } from './meter.ts'
export { createRateLimiter } from './rate-limit.ts'

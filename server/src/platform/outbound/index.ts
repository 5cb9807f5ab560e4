/**
 * HTTP requests to URLs that others choose. Guarantees:
 * - no byte reaches an address that is not public, for any URL, answer of a name server or redirect;
 * - an exchange ends within its time limit, however slowly the other side sends;
 * - the cost of a response is bounded.
 * It does not depend on the contents of requests.
 */
export { createOutbound } from './outbound.ts'
export type { Answer, Outbound, OutboundSettings } from './outbound.ts'

export { targetOf } from './target.ts'
export type { Target } from './target.ts'

/**
 * Requests to addresses that others chose. Promises that no byte reaches an address that isn't public, whatever the
 * URL, the name server or a redirect says; that an exchange ends within its time, however slowly the other side sends;
 * and that what an answer costs is bounded. Knows nothing of what is sent.
 */
export { createOutbound } from './outbound.ts'
export type { Answer, Outbound, OutboundSettings } from './outbound.ts'

export { targetOf } from './target.ts'
export type { Target } from './target.ts'

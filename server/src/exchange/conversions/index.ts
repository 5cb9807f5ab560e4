/**
 * Received money that becomes something else by itself (`contract.md` 4.1). Promises that it is noted in the
 * transaction that credits it, converted once, an invoice's when it is paid, at the price of the moment, and sent on
 * where a target says so; and that what can't be converted stays on the balance and is notified.
 */
export { createDepositExpecting, expectFiat } from './expecting.ts'

export { createConversionJob } from './jobs.ts'
export type { ConversionDeps } from './jobs.ts'
export { createTargetKeeper } from './keeping.ts'

export { releaseConversions } from './store.ts'

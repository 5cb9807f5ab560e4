/**
 * Conversions: received money is exchanged automatically (`contract.md` 4.1). Guarantees:
 * - a conversion is recorded in the transaction that credits the money;
 * - it is carried out once, at the current price; for an invoice, after the invoice is paid;
 * - its proceeds are sent on if the target has an address;
 * - money that can't be converted stays on the balance, and the merchant is notified.
 */
export { createDepositExpecting, expectFiat } from './expecting.ts'

export { createConversionJob } from './jobs.ts'
export type { ConversionDeps } from './jobs.ts'
export { createTargetKeeper } from './keeping.ts'
export { conversionsOf } from './queries.ts'
export type { ListedConversion } from './queries.ts'

export { conversionsById, targetsById, releaseConversions } from './store.ts'

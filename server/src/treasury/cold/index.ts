/**
 * Cold storage: moves the excess of hot wallets above their caps to addresses with offline keys. Guarantees:
 * - a transfer goes to the address that both the server's policy and the signer's name;
 * - it delays no payout, and leaves no gap in the nonces while it waits for its signature;
 * - the only transaction that is accepted back is the one that was handed out, signed with our key.
 */
export { ensureColdAddresses } from './addresses.ts'
export { cancelTransfer, importTransfer } from './commands.ts'
export type { ImportRefusal } from './commands.ts'
export { coldFileOf } from './file.ts'
export type { ColdFile } from './file.ts'
export { createColdSubscriber } from './subscriber.ts'
export { createColdJob } from './jobs.ts'

export { createColdSettlement } from './settlement.ts'
export { listTransfers, readTransfer, transferOf } from './store.ts'
export type { OfferedTransfer } from './transfer.ts'

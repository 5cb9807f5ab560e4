/**
 * Cold storage: moves the excess of hot wallets above their caps to addresses with offline keys. Guarantees that
 * such a transfer goes where the policies of both server and signer say, that it delays no payout and leaves no nonce
 * unused while its signature is awaited, and that only the transaction that was handed out, signed by our key, is
 * accepted.
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

/**
 * Cold storage: what hot wallets hold above their caps leaves for addresses whose keys are not here. Promises that such
 * a transfer goes where the policies of server and signer both say, that until signed bytes come back it keeps no
 * payout waiting and leaves no nonce unused, and that only the very transaction that was handed out, signed by our key,
 * is taken back.
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

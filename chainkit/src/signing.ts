/** The only functions that accept private keys. Only the signer may import this entry point. */
export { signPayout } from './bitcoin/signing.ts'
export { signTransaction } from './evm/signing.ts'
export { signSetCode, signTransfers } from './evm/sweep-signing.ts'
export { keyAt, offsetOf } from './key-offset.ts'
export { signTransaction as signTronTransaction } from './tron/signing.ts'

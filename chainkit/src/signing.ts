/** The only functions that take private keys. The signer imports this door, and nothing else may. */
export { signPayout } from './bitcoin/signing.ts'
export { signTransaction } from './evm/signing.ts'
export { signPermits, signSetCode, signTransfers } from './evm/sweep-signing.ts'
export { signTransaction as signTronTransaction } from './tron/signing.ts'

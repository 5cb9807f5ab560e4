/**
 * Withdrawals paid straight from deposit addresses, where that saves the sweep of what they hold, or where the hot
 * wallet has too little. Promises that only final money is paid, that an address does one thing at a time, a payment or
 * a sweep, and that a payment may still pay more for its gas when it is stuck; on TRON, that it can burn what it takes
 * though its free bytes are gone.
 */
export { createEvmDirect } from './jobs-evm.ts'

export { createTronDirect } from './jobs-tron.ts'

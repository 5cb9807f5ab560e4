/**
 * Pays withdrawals directly from deposit addresses, if that saves a sweep or if the hot wallet has too little.
 * Guarantees:
 * - only final money is spent;
 * - an address has at most one payment or sweep under way;
 * - the address holds enough coin to raise the fee of a stuck payment; on TRON, to burn the cost of the payment even
 *   when its free bandwidth is used up.
 */
export { createEvmDirect } from './jobs-evm.ts'

export { createTronDirect } from './jobs-tron.ts'

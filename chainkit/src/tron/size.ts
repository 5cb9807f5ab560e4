import { serializeSigned } from './signed.ts'
import type { UnsignedTransaction } from './transaction.ts'

/** Bytes that java-tron adds for the result of each contract (`Constant.MAX_RESULT_SIZE_IN_TX`). */
const RESULT_BYTES = 64
const SIGNATURE = new Uint8Array(65).fill(1)

/** Bandwidth of a transaction with one signature: its serialised bytes, and the bytes reserved for its result. */
export function bandwidthOf(transaction: UnsignedTransaction): number {
  return serializeSigned(transaction, SIGNATURE).length + RESULT_BYTES
}

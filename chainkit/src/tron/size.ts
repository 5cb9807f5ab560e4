import { serializeSigned } from './signed.ts'
import type { UnsignedTransaction } from './transaction.ts'

/** What java-tron adds for the result of each contract (`Constant.MAX_RESULT_SIZE_IN_TX`). */
const RESULT_BYTES = 64
const SIGNATURE = new Uint8Array(65).fill(1)

/** Bandwidth that a transaction takes once one key has signed it: its bytes as they travel, and room for its result. */
export function bandwidthOf(transaction: UnsignedTransaction): number {
  return serializeSigned(transaction, SIGNATURE).length + RESULT_BYTES
}

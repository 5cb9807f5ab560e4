/** Returns a contract's address: the last 20 bytes of the Keccak-256 of the transaction's id and its owner. */
import { addressOfEvm } from '../address.ts'
import type { Address } from '../address.ts'
import { bytesOf, concat, keccak } from '../bytes.ts'

export const contractAddressOf = (transactionId: string, owner: Address): Address =>
  addressOfEvm(keccak(concat(bytesOf(transactionId), bytesOf(owner))).subarray(12))

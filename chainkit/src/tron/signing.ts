import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { serializeSigned, V_OFFSET } from './signed.ts'
import { signingHash } from './transaction.ts'
import type { UnsignedTransaction } from './transaction.ts'

/** Signs deterministically (RFC 6979) with a low s. */
export function signTransaction(
  transaction: UnsignedTransaction,
  privateKey: Uint8Array,
): { raw: Uint8Array; hash: string } {
  const hash = signingHash(transaction)
  const bytes = secp256k1.sign(hash, privateKey, { prehash: false, format: 'recovered', lowS: true })
  if (bytes[0] !== 0 && bytes[0] !== 1) throw new Error('The signature has no parity that TRON can hold')
  const signature = concatBytes(bytes.slice(1), Uint8Array.of(bytes[0] + V_OFFSET))
  return { raw: serializeSigned(transaction, signature), hash: bytesToHex(hash) }
}

import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Hex } from './hex.ts'
import { serializeSigned, transactionHash } from './signed.ts'
import type { Signature } from './signed.ts'
import { signingHash } from './transaction.ts'
import type { UnsignedTransaction } from './transaction.ts'

/** Signs deterministically (RFC 6979) with a low s (EIP-2). */
export function signTransaction(
  transaction: UnsignedTransaction,
  privateKey: Uint8Array,
): { raw: Uint8Array; hash: Hex } {
  const raw = serializeSigned(transaction, signHash(signingHash(transaction), privateKey))
  return { raw, hash: transactionHash(raw) }
}

/** Signs a 32-byte hash without hashing it again, deterministically and with a low s. */
export function signHash(hash: Uint8Array, privateKey: Uint8Array): Signature {
  const bytes = secp256k1.sign(hash, privateKey, { prehash: false, format: 'recovered', lowS: true })
  const { r, s, recovery } = secp256k1.Signature.fromBytes(bytes, 'recovered')
  if (recovery !== 0 && recovery !== 1) throw new Error('The signature has no parity an EVM chain can hold')
  return { r, s, yParity: recovery }
}

import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Refused } from '../refusal.ts'
import { addressOfPublicKey } from './address.ts'
import { numberToBytes, toHex } from './hex.ts'
import type { Hex } from './hex.ts'
import { encodeRlp } from './rlp.ts'
import { fieldsOf, number, readEip1559, readLegacy, reading, signingHash, typed } from './transaction.ts'
import type { TransactionRefusal, UnsignedTransaction } from './transaction.ts'

export interface Signature {
  r: bigint
  s: bigint
  /** Parity of the y coordinate of the signature's point */
  yParity: 0 | 1
}

export interface SignedTransaction {
  transaction: UnsignedTransaction
  signature: Signature
  /** Signer, EIP-55 */
  from: Hex
  hash: Hex
}

/** EIP-155: `v` = chain id x 2 + 35 + parity. */
const V_OFFSET = 35n
/** EIP-2: signatures with a higher s are not valid. */
const HALF_ORDER = secp256k1.Point.Fn.ORDER / 2n

/** The hash by which the network knows a signed transaction. */
export function transactionHash(raw: Uint8Array): Hex {
  return toHex(keccak_256(raw))
}

export function serializeSigned(transaction: UnsignedTransaction, { r, s, yParity }: Signature): Uint8Array {
  const fields = fieldsOf(transaction)
  const rs = [numberToBytes(r), numberToBytes(s)]
  if (transaction.type === 'eip1559') return typed([...fields, numberToBytes(BigInt(yParity)), ...rs])
  const v = transaction.chainId * 2n + V_OFFSET + BigInt(yParity)
  return encodeRlp([...fields, numberToBytes(v), ...rs])
}

/**
 * Parses a serialised signed transaction and recovers its signer. Never throws.
 * @param recover recovers the signer, as `recoverSigner` does
 */
export function parseSigned(
  raw: Uint8Array,
  recover: typeof recoverSigner = recoverSigner,
): SignedTransaction | Refused<TransactionRefusal> {
  return reading(raw, (type, items) => {
    const [v, r, s] = items.slice(-3).map(number) as [bigint, bigint, bigint]
    if (type === 'legacy' && (items.length !== 9 || v < V_OFFSET + 2n)) {
      throw new RangeError('it is not signed by EIP-155')
    }
    if (type === 'eip1559' && v > 1n) throw new RangeError('its parity is neither 0 nor 1')
    const transaction = type === 'eip1559' ? readEip1559(items, 12) : readLegacy(items, (v - V_OFFSET) / 2n)
    const yParity = Number(type === 'eip1559' ? v : (v - V_OFFSET) % 2n) as 0 | 1
    const signature = { r, s, yParity }
    return {
      transaction,
      signature,
      from: recover(signingHash(transaction), signature),
      hash: transactionHash(raw),
    }
  })
}

/**
 * Recovers the signer of a hash; EIP-55. Throws a RangeError for a high s, an Error when no key can have made the
 * signature.
 */
export function recoverSigner(hash: Uint8Array, { r, s, yParity }: Signature): Hex {
  if (s > HALF_ORDER) throw new RangeError('its signature has a high s')
  const point = new secp256k1.Signature(r, s, yParity).recoverPublicKey(hash)
  return addressOfPublicKey(point.toBytes())
}

import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import type { Refused } from '../refusal.ts'
import { addressOfPublicKey } from './address.ts'
import { decodeMessage, encodeMessage } from './message.ts'
import type { Fields } from './message.ts'
import { readRaw, reading, serializeUnsigned } from './transaction.ts'
import type { TransactionRefusal, UnsignedTransaction } from './transaction.ts'

export interface SignedTransaction {
  transaction: UnsignedTransaction
  /** r, s and 27 or 28: 65 bytes */
  signature: Uint8Array
  /** The signer */
  from: string
  /** The transaction's id */
  hash: string
}

/** `Transaction` in Tron.proto, with one signature and without the result that a block adds. */
const SIGNED = { raw: [1, 'bytes'], signature: [2, 'bytes'] } as const satisfies Fields
/** Offset added to the parity, as wallets do; java-tron accepts both forms. */
export const V_OFFSET = 27
const HALF_ORDER = secp256k1.Point.Fn.ORDER / 2n

/** Serialises a signed transaction. `broadcasthex` accepts the hex of these bytes. */
export function serializeSigned(transaction: UnsignedTransaction, signature: Uint8Array): Uint8Array {
  if (signature.length !== 65) throw new RangeError('A signature has 65 bytes')
  return encodeMessage(SIGNED, { raw: serializeUnsigned(transaction), signature })
}

/** Parses a serialised signed transaction and recovers its signer. Never throws. */
export function parseSigned(bytes: Uint8Array): SignedTransaction | Refused<TransactionRefusal> {
  return reading(() => {
    const { raw, signature } = decodeMessage(SIGNED, bytes)
    const hash = sha256(raw)
    return { transaction: readRaw(raw), signature, from: recover(hash, signature), hash: bytesToHex(hash) }
  })
}

function recover(hash: Uint8Array, signature: Uint8Array): string {
  const parity = (signature[64] ?? 0) - V_OFFSET
  if (signature.length !== 65 || (parity !== 0 && parity !== 1)) throw new RangeError('its signature has another shape')
  const recovered = secp256k1.Signature.fromBytes(
    concatBytes(Uint8Array.of(parity), signature.slice(0, 64)),
    'recovered',
  )
  if (recovered.s > HALF_ORDER) throw new RangeError('its signature has a high s')
  return addressOfPublicKey(recovered.recoverPublicKey(hash).toBytes())
}

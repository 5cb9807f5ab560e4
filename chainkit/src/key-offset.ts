import { secp256k1 } from '@noble/curves/secp256k1.js'

const { Fn } = secp256k1.Point

/**
 * The private key of a child less the private key of its account, modulo the order of secp256k1. By BIP 32 this is the
 * sum of the left halves of the hashes along a path of indexes that are not hardened. Anyone can compute it who has the
 * extended public key of the account: it is no secret.
 */
export function offsetOf(account: Uint8Array, child: Uint8Array): bigint {
  return Fn.sub(Fn.fromBytes(child), Fn.fromBytes(account))
}

/** The private key of the child with this offset from its account. The caller overwrites it after use. */
export function keyAt(account: Uint8Array, offset: bigint): Uint8Array {
  return Fn.toBytes(Fn.add(Fn.fromBytes(account), offset))
}

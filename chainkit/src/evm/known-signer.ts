import { secp256k1 } from '@noble/curves/secp256k1.js'
import { addressOfPublicKey } from './address.ts'
import { bytesToNumber } from './hex.ts'
import type { Hex } from './hex.ts'
import { recoverSigner } from './signed.ts'
import type { Signature } from './signed.ts'

const { Point } = secp256k1
const { Fn } = Point

/**
 * Bits of a digit of the table of a public key. With 4, the table has about 500 points and takes 10 ms to make. Larger
 * tables save little more.
 */
const WINDOW = 4

/** Recovers the signer of a 32-byte hash, with the results and errors of `recoverSigner`. */
export type RecoverSigner = (hash: Uint8Array, signature: Signature) => Hex

/**
 * A `recoverSigner` for a key that signs often: a signature of this key takes half of the time. For every other
 * signature it calls `recoverSigner`.
 * @param publicKey compressed
 */
export function createKnownSigner(publicKey: Uint8Array): RecoverSigner {
  const address = addressOfPublicKey(publicKey)
  const key = Point.fromBytes(publicKey).precompute(WINDOW)
  return (hash, signature) => (isOf(key, hash, signature) ? address : recoverSigner(hash, signature))
}

/**
 * Whether `recoverSigner` would find this key. SEC 1, section 4.1.4: the point (hash / s) G + (r / s) key has the x
 * coordinate r. By section 4.1.6, the parity of its y coordinate distinguishes the two possible signers of r, s and
 * hash.
 */
function isOf(key: typeof Point.BASE, hash: Uint8Array, { r, s, yParity }: Signature): boolean {
  if (!Fn.isValidNot0(r) || !Fn.isValidNot0(s) || s > Fn.ORDER / 2n || hash.length !== 32) return false
  const inverse = Fn.inv(s)
  const digest = Fn.create(bytesToNumber(hash))
  const point = Point.BASE.multiplyUnsafe(Fn.mul(digest, inverse)).add(key.multiplyUnsafe(Fn.mul(r, inverse)))
  if (point.is0()) return false
  const { x, y } = point.toAffine()
  return x === r && (y & 1n) === BigInt(yParity)
}

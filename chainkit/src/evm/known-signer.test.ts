import { secp256k1 } from '@noble/curves/secp256k1.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { addressOfPublicKey } from './address.ts'
import { createKnownSigner } from './known-signer.ts'
import { recoverSigner } from './signed.ts'
import type { Signature } from './signed.ts'
import { signHash } from './signing.ts'

const { ORDER } = secp256k1.Point.Fn
const PRIME = secp256k1.Point.Fp.ORDER
const [key, other] = [1, 2].map((first) => Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? first : at * 7)))
const publicKey = secp256k1.getPublicKey(key!)
const recoverKnown = createKnownSigner(publicKey)

const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 })

/** The address or the error. */
const resultOf = (recover: () => string): string => {
  try {
    return recover()
  } catch (error) {
    return (error as Error).message
  }
}

/** Every change is possible for an attacker or a fault: other numbers, the other parity, a high s. */
const changes = fc.constantFrom<(signature: Signature) => Signature>(
  (one) => one,
  (one) => ({ ...one, yParity: one.yParity === 0 ? 1 : 0 }),
  (one) => ({ ...one, s: ORDER - one.s }),
  (one) => ({ ...one, s: ORDER - one.s, yParity: one.yParity === 0 ? 1 : 0 }),
  (one) => ({ ...one, s: one.s + ORDER }),
  (one) => ({ ...one, r: one.r + 1n }),
  (one) => ({ ...one, r: one.r + ORDER }),
  (one) => ({ ...one, r: PRIME - 1n }),
  (one) => ({ ...one, r: 0n }),
  (one) => ({ ...one, s: 0n }),
  (one) => ({ ...one, s: 1n }),
  (one) => ({ ...one, r: one.s, s: one.r % (ORDER / 2n) }),
)

describe('createKnownSigner', () => {
  test('finds what recoverSigner finds, of signatures of its key and of another, as made and altered', () => {
    fc.assert(
      fc.property(hashes, hashes, fc.boolean(), changes, (hash, another, isKnown, change) => {
        const signature = change(signHash(hash, isKnown ? key! : other!))
        for (const asked of [hash, another])
          expect(resultOf(() => recoverKnown(asked, signature))).toBe(resultOf(() => recoverSigner(asked, signature)))
      }),
      { numRuns: cases(300) },
    )
  })

  test.each([
    ['zero', Buffer.alloc(32)],
    ['the order of the curve', Buffer.from(ORDER.toString(16), 'hex')],
    ['the highest number', Buffer.alloc(32, 255)],
  ])('recovers the signer of a hash that is %s', (_name, hash) => {
    const signature = signHash(hash, key!)
    expect(recoverKnown(hash, signature)).toBe(addressOfPublicKey(publicKey))
    expect(recoverKnown(hash, { ...signature, yParity: signature.yParity === 0 ? 1 : 0 })).not.toBe(
      addressOfPublicKey(publicKey),
    )
  })
})

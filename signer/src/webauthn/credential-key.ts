import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Cbor } from './cbor.ts'
import { NotWebAuthn } from './cbor.ts'

/** Names of the members of a COSE key (RFC 9052, section 7.1; RFC 9053, sections 7.1.1 and 7.2). */
const [KIND, ALGORITHM, CURVE, X, Y] = [1, 3, -1, -2, -3]
const COORDINATE_BYTES = 32

/** Numbers of the algorithms in the registry of COSE that a passkey may use, the preferred one first. */
export const ALGORITHMS = { ES256: -7, EdDSA: -8 } as const

/**
 * Reads the public key of a new credential, a COSE key: ES256 on P-256 or EdDSA with Ed25519. Throws NotWebAuthn. Node
 * refuses a point that is not on its curve.
 */
export function keyOfCose(value: Cbor): KeyObject {
  if (!(value instanceof Map)) throw new NotWebAuthn('the key is no map')
  const [kind, algorithm, curve] = [value.get(KIND), value.get(ALGORITHM), value.get(CURVE)]
  if (kind === 2 && algorithm === ALGORITHMS.ES256 && curve === 1) {
    requireMembers(value, [KIND, ALGORITHM, CURVE, X, Y])
    return importKey({ kty: 'EC', crv: 'P-256', x: coordinate(value, X), y: coordinate(value, Y) })
  }
  if (kind === 1 && algorithm === ALGORITHMS.EdDSA && curve === 6) {
    requireMembers(value, [KIND, ALGORITHM, CURVE, X])
    return importKey({ kty: 'OKP', crv: 'Ed25519', x: coordinate(value, X) })
  }
  throw new NotWebAuthn('the key is of another kind than ES256 or EdDSA with Ed25519')
}

/** The text of a passkey's public key in the policy: SubjectPublicKeyInfo (RFC 5280) in hex. */
export function writePasskeyKey(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).toString('hex')
}

/** Reads that text; undefined when it is no such key of P-256 or Ed25519, or not in its one canonical form. */
export function readPasskeyKey(hex: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(hex, 'hex'), format: 'der', type: 'spki' })
    const isKnown =
      key.asymmetricKeyType === 'ed25519' ||
      (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1')
    return isKnown && writePasskeyKey(key) === hex ? key : undefined
  } catch {
    return undefined
  }
}

function requireMembers(key: Map<number | string, Cbor>, names: readonly number[]): void {
  if (key.size !== names.length) throw new NotWebAuthn('the key has other members than its kind has')
}

function coordinate(key: Map<number | string, Cbor>, name: number): string {
  const bytes = key.get(name)
  if (!(bytes instanceof Uint8Array) || bytes.length !== COORDINATE_BYTES)
    throw new NotWebAuthn(`a coordinate of the key has not ${COORDINATE_BYTES} bytes`)
  return Buffer.from(bytes).toString('base64url')
}

function importKey(jwk: { kty: string; crv: string; x: string; y?: string }): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    throw new NotWebAuthn('the key is not a point of its curve')
  }
}

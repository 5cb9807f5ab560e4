import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Cbor } from './cbor.ts'
import { NotWebAuthn } from './cbor.ts'

/**
 * The encodings of the points of Ed25519 whose order is at most 8, without the sign bit, in hex (RFC 8032, section
 * 5.1.7). Under such a key, signatures can be forged without the private key.
 */
const WEAK_POINTS: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
])

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
    const key = importKey({ kty: 'OKP', crv: 'Ed25519', x: coordinate(value, X) })
    if (isWeak(key)) throw new NotWebAuthn('the key is a point of small order')
    return key
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
    return isKnown && !isWeak(key) && writePasskeyKey(key) === hex ? key : undefined
  } catch {
    return undefined
  }
}

/** Whether a key is of Ed25519, and a point of small order. */
export function isWeak(key: KeyObject): boolean {
  if (key.asymmetricKeyType !== 'ed25519') return false
  const point = Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url')
  point[31]! &= 0x7f
  return WEAK_POINTS.has(point.toString('hex'))
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

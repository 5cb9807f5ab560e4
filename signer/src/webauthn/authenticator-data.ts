import type { KeyObject } from 'node:crypto'
import { NotWebAuthn, readCbor } from './cbor.ts'
import { keyOfCose } from './credential-key.ts'

/** The data that an authenticator signs (Web Authentication level 3, section 6.1). */
export interface AuthenticatorData {
  /** SHA-256 of the id of the relying party */
  rpIdHash: Buffer
  /** a person was present */
  isPresent: boolean
  /** the authenticator verified the person, by a PIN or a fingerprint */
  isVerified: boolean
  /** the passkey may be copied to further devices of the person: it is synced */
  maySync: boolean
  /** number of signatures so far; 0 when the authenticator does not count */
  counter: number
  /** at registration only */
  credential?: { id: Buffer; key: KeyObject }
}

const HEAD_BYTES = 37
const AAGUID_BYTES = 16
const MAX_ID_BYTES = 1023
const [PRESENT, VERIFIED, MAY_SYNC, IS_SYNCED, HAS_CREDENTIAL, HAS_EXTENSIONS] = [0x01, 0x04, 0x08, 0x10, 0x40, 0x80]

/** Parses authenticator data; every byte of it belongs to a part. Throws NotWebAuthn. */
export function readAuthenticatorData(bytes: Buffer): AuthenticatorData {
  if (bytes.length < HEAD_BYTES) throw new NotWebAuthn('the authenticator data are cut off')
  const flags = bytes[32]!
  // Section 6.1.3: a credential that is backed up is eligible for it.
  if ((flags & IS_SYNCED) !== 0 && (flags & MAY_SYNC) === 0)
    throw new NotWebAuthn('the passkey is synced although it may not be')
  const head = {
    rpIdHash: bytes.subarray(0, 32),
    isPresent: (flags & PRESENT) !== 0,
    isVerified: (flags & VERIFIED) !== 0,
    maySync: (flags & MAY_SYNC) !== 0,
    counter: bytes.readUInt32BE(33),
  }
  let rest = bytes.subarray(HEAD_BYTES)
  let credential: AuthenticatorData['credential']
  if ((flags & HAS_CREDENTIAL) !== 0) ({ credential, rest } = readCredential(rest))
  if ((flags & HAS_EXTENSIONS) !== 0) {
    const { value, length } = readCbor(rest)
    if (!(value instanceof Map)) throw new NotWebAuthn('the extensions are no map')
    rest = rest.subarray(length)
  }
  if (rest.length > 0) throw new NotWebAuthn('there are bytes after the authenticator data')
  return { ...head, ...(credential && { credential }) }
}

function readCredential(bytes: Buffer): { credential: { id: Buffer; key: KeyObject }; rest: Buffer } {
  if (bytes.length < AAGUID_BYTES + 2) throw new NotWebAuthn('the credential is cut off')
  const size = bytes.readUInt16BE(AAGUID_BYTES)
  const start = AAGUID_BYTES + 2
  if (size === 0 || size > MAX_ID_BYTES || bytes.length < start + size)
    throw new NotWebAuthn('the id of the credential is empty, too long or cut off')
  const id = bytes.subarray(start, start + size)
  const { value, length } = readCbor(bytes.subarray(start + size))
  return { credential: { id, key: keyOfCose(value) }, rest: bytes.subarray(start + size + length) }
}

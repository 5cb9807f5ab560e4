import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { APPROVER_ID } from '../protocol/request.ts'
import { ShapeError, readList, readObject, readText } from '../protocol/shape.ts'
import { isWeak, readPasskeyKey, writePasskeyKey } from '../webauthn/credential-key.ts'

/**
 * A key that one approver enrolled. `name` is its public key as the policy writes it, which identifies it in the log.
 */
export type ApproverKey = { name: string; key: KeyObject } & (
  | { kind: 'ed25519' }
  /** a passkey of the signer's own page: its id in base64url, and the page's origin */
  | { kind: 'passkey'; credentialId: string; origin: string }
)

/** The keys of each approver, by the approver's id. However many keys a person has, the person counts once. */
export type Approvers = ReadonlyMap<string, readonly ApproverKey[]>

const PUBLIC_KEY = /^[0-9a-f]{64}$/
const PASSKEY_KEY = /^([0-9a-f]{2}){40,120}$/
const CREDENTIAL_ID = /^[A-Za-z0-9_-]{16,1364}$/
const MAX_KEYS = 100

/** Parses an Ed25519 public key, 32 bytes in hex. Throws an Error when it is not valid. */
export function approverKey(publicKeyHex: string): KeyObject {
  const x = Buffer.from(publicKeyHex, 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

/** Reads the list of approvers. Entries with one id are keys of one person. Throws a ShapeError. */
export function readApprovers(value: unknown): Approvers {
  const approvers = new Map<string, ApproverKey[]>()
  const seen = new Set<string>()
  for (const [index, entry] of readList(value, 'policy.approvers', MAX_KEYS).entries()) {
    const at = `policy.approvers[${index}]`
    const { id, key } = readApprover(entry, at)
    // A key of Ed25519 can be written in two ways: as 32 bytes, and as a passkey.
    const spki = writePasskeyKey(key.key)
    const names = key.kind === 'passkey' ? [spki, key.credentialId] : [spki]
    if (names.some((name) => seen.has(name))) throw new ShapeError(`${at} is enrolled twice`)
    for (const name of names) seen.add(name)
    approvers.set(id, [...(approvers.get(id) ?? []), key])
  }
  return approvers
}

function readApprover(entry: unknown, at: string): { id: string; key: ApproverKey } {
  const { id, kind, publicKey, credentialId, origin } = readObject(
    entry,
    at,
    ['id', 'publicKey'],
    ['kind', 'credentialId', 'origin'],
  )
  const name = readText(id, `${at}.id`, APPROVER_ID, 'an id of lower-case letters, digits, ".", "_" and "-"')
  if (kind === undefined) {
    if (credentialId !== undefined || origin !== undefined)
      throw new ShapeError(`${at} has a credential: its kind must be "passkey"`)
    const text = readText(publicKey, `${at}.publicKey`, PUBLIC_KEY, 'an Ed25519 key of 32 bytes in lower-case hex')
    const key = approverKey(text)
    if (isWeak(key)) throw new ShapeError(`${at}.publicKey is a weak key, for which anyone can sign`)
    return { id: name, key: { kind: 'ed25519', name: text, key } }
  }
  readText(kind, `${at}.kind`, /^passkey$/, '"passkey", or absent for an Ed25519 key')
  const what = 'a key of P-256 or Ed25519 as bursar-signer enrol prints it'
  const text = readText(publicKey, `${at}.publicKey`, PASSKEY_KEY, what)
  const key = readPasskeyKey(text)
  if (!key) throw new ShapeError(`${at}.publicKey must be ${what}`)
  return {
    id: name,
    key: {
      kind: 'passkey',
      name: text,
      key,
      credentialId: readText(credentialId, `${at}.credentialId`, CREDENTIAL_ID, 'an id in base64url'),
      origin: readOrigin(origin, `${at}.origin`),
    },
  }
}

/**
 * Reads the origin of the signer's page. Plain HTTP is for tests on this machine only, because browsers offer passkeys
 * on `localhost` without a certificate. Throws a ShapeError.
 */
export function readOrigin(value: unknown, at: string): string {
  const what = 'an origin such as https://approve.example.com'
  const text = readText(value, at, /^https?:\/\/[a-z0-9.-]+(:[0-9]{1,5})?$/, what)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSafe = url?.protocol === 'https:' || url?.hostname === 'localhost'
  if (url?.origin !== text || !isSafe) throw new ShapeError(`${at} must be ${what}`)
  return text
}

import { createHash, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readAuthenticatorData } from './authenticator-data.ts'
import type { AuthenticatorData } from './authenticator-data.ts'
import { NotWebAuthn, readWholeCbor } from './cbor.ts'

/**
 * Most bytes of the authenticator data and of the client data of an answer. Both are stored with an approval; a browser
 * makes some 40 and some 200 bytes.
 */
const MAX_ANSWER_BYTES = 2048

/** The page that asks: its origin, and its host, which is the id of its relying party. */
export interface RelyingParty {
  /** scheme, host and, unless it is that of the scheme, port */
  origin: string
  rpId: string
}

/** The relying party of a page. Its id is the page's own host, so that no other host can use its passkeys. */
export function relyingPartyOf(origin: string): RelyingParty {
  return { origin, rpId: new URL(origin).hostname }
}

/** An answer of `navigator.credentials.get`, as bytes. */
export interface Assertion {
  authenticatorData: Buffer
  clientDataJSON: Buffer
  signature: Buffer
}

/** An answer of `navigator.credentials.create`, as bytes. */
export interface Registration {
  attestationObject: Buffer
  clientDataJSON: Buffer
}

/** Why an answer does not count. */
export type Fault =
  | 'malformed'
  | 'type'
  | 'challenge'
  | 'origin'
  | 'cross-origin'
  | 'relying-party'
  | 'presence'
  | 'verification'
  | 'signature'

/** An answer that does not count. Its message contains no data of the answer. */
export class AnswerRefused extends Error {
  override name = 'AnswerRefused'
  readonly fault: Fault

  constructor(fault: Fault, message: string) {
    super(message)
    this.fault = fault
  }
}

/**
 * Verifies an answer of a passkey by the steps of Web Authentication level 3, section 7.2, that concern one known
 * credential. User presence and user verification are required.
 * @param challenge the bytes that the page gave to the browser
 * @returns the authenticator's counter, which the caller compares with the counter before. Throws AnswerRefused.
 */
export function verifyAssertion(
  { authenticatorData, clientDataJSON, signature }: Assertion,
  { key, challenge, party }: { key: KeyObject; challenge: Buffer; party: RelyingParty },
): { counter: number } {
  if (Math.max(authenticatorData.length, clientDataJSON.length) > MAX_ANSWER_BYTES)
    throw new AnswerRefused('malformed', `a part of the answer has more than ${MAX_ANSWER_BYTES} bytes`)
  judgeClientData(clientDataJSON, 'webauthn.get', challenge, party)
  const data = parsed(() => readAuthenticatorData(authenticatorData))
  if (data.credential) throw new AnswerRefused('malformed', 'the answer contains a new credential')
  const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)])
  if (!isSignature(signed, key, signature)) throw new AnswerRefused('signature', 'the signature is not of this passkey')
  judgeAuthenticator(data, party)
  return { counter: data.counter }
}

/**
 * Verifies a new passkey by the steps of section 7.1. Its attestation is not judged, because an administrator compares
 * the key with the person and enrols it by hand.
 * @returns the id and the public key of the credential, and whether it may be synced. Throws AnswerRefused.
 */
export function verifyRegistration(
  { attestationObject, clientDataJSON }: Registration,
  { challenge, party }: { challenge: Buffer; party: RelyingParty },
): { id: Buffer; key: KeyObject; maySync: boolean } {
  judgeClientData(clientDataJSON, 'webauthn.create', challenge, party)
  const data = parsed(() => {
    const object = readWholeCbor(attestationObject)
    const bytes = object instanceof Map ? object.get('authData') : undefined
    if (!(bytes instanceof Uint8Array)) throw new NotWebAuthn('the attestation has no authenticator data')
    return readAuthenticatorData(Buffer.from(bytes))
  })
  judgeAuthenticator(data, party)
  if (!data.credential) throw new AnswerRefused('malformed', 'the answer contains no new credential')
  return { ...data.credential, maySync: data.maySync }
}

function judgeClientData(json: Buffer, type: string, challenge: Buffer, { origin }: RelyingParty): void {
  const data = parsed(() => readClientData(json))
  if (data['type'] !== type) throw new AnswerRefused('type', `the answer is not of the type ${type}`)
  if (data['challenge'] !== challenge.toString('base64url'))
    throw new AnswerRefused('challenge', 'the answer is to another challenge')
  if (data['origin'] !== origin) throw new AnswerRefused('origin', 'the answer was given on a page of another origin')
  if ((data['crossOrigin'] ?? false) !== false || data['topOrigin'] !== undefined)
    throw new AnswerRefused('cross-origin', 'the answer was given inside a page of another origin')
}

/** Client data are JSON in UTF-8 (section 5.8.1). */
function readClientData(json: Buffer): Record<string, unknown> {
  let data: unknown
  try {
    data = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json))
  } catch {
    throw new NotWebAuthn('the client data are not JSON')
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new NotWebAuthn('the client data are no object')
  return data as Record<string, unknown>
}

function judgeAuthenticator({ rpIdHash, isPresent, isVerified }: AuthenticatorData, { rpId }: RelyingParty): void {
  if (!rpIdHash.equals(sha256(rpId)))
    throw new AnswerRefused('relying-party', 'the answer is for another relying party')
  if (!isPresent) throw new AnswerRefused('presence', 'the authenticator saw no person')
  if (!isVerified) throw new AnswerRefused('verification', 'the authenticator did not verify the person')
}

/** ECDSA signatures are in DER, with SHA-256; EdDSA has a hash of its own (section 6.5.5). */
function isSignature(signed: Buffer, key: KeyObject, signature: Buffer): boolean {
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  return verify(hash, signed, key, signature)
}

function parsed<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotWebAuthn) throw new AnswerRefused('malformed', error.message)
    throw error
  }
}

function sha256(bytes: Buffer | string): Buffer {
  return createHash('sha256').update(bytes).digest()
}

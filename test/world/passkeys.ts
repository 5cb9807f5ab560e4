/** Passkeys of approvers, as the policy of a signer enrols them. */
import { randomBytes } from 'node:crypto'
import { relyingPartyOf, verifyRegistration } from '../../signer/src/webauthn/ceremony.ts'
import type { Assertion, Registration } from '../../signer/src/webauthn/ceremony.ts'
import { writePasskeyKey } from '../../signer/src/webauthn/credential-key.ts'
import { createAuthenticator } from './authenticator.ts'
import type { Answering } from './authenticator.ts'

export const APPROVALS_ORIGIN = 'https://approve.example.com'

export interface TestPasskey {
  credentialId: string
  /** Its entry of the policy's list of approvers */
  entry: { id: string; kind: 'passkey'; publicKey: string; credentialId: string; origin: string }
  /** Answers a challenge. */
  answer(challenge: Buffer, how?: Answering): Assertion
}

/** The bytes of an answer that a browser gives as JSON. */
export function bytesOf<Name extends string>(answer: string, names: readonly Name[]): Record<Name, Buffer> {
  const { response } = JSON.parse(answer) as { response: Record<Name, string> }
  return Object.fromEntries(names.map((name) => [name, Buffer.from(response[name], 'base64url')])) as Record<
    Name,
    Buffer
  >
}

export const ASSERTION = ['authenticatorData', 'clientDataJSON', 'signature'] as const
const REGISTRATION = ['attestationObject', 'clientDataJSON'] as const

/** Makes a passkey for the page of a signer and enrols it for an approver. */
export function makePasskey(id: string, origin: string = APPROVALS_ORIGIN): TestPasskey {
  const authenticator = createAuthenticator(origin)
  const party = relyingPartyOf(origin)
  const challenge = randomBytes(32)
  const options = {
    challenge: challenge.toString('base64url'),
    rp: { id: party.rpId },
    user: { id: randomBytes(16).toString('base64url') },
  }
  const made: Registration = bytesOf(authenticator.make(options), REGISTRATION)
  const { key } = verifyRegistration(made, { challenge, party })
  const { credentialId } = authenticator
  return {
    credentialId,
    entry: { id, kind: 'passkey', publicKey: writePasskeyKey(key), credentialId, origin },
    answer: (asked, how = {}) =>
      bytesOf(authenticator.use({ challenge: asked.toString('base64url'), rpId: party.rpId }, how), ASSERTION),
  }
}

/** Requests to browsers for passkeys, and the verification of the answers (Web Authentication, level 3). */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Challenges } from './challenges.ts'
import type { Passkey } from './credentials.ts'

/** Where passkeys are valid: the host of the public URL. */
export interface RelyingParty {
  id: string
  origin: string
}

/** Undefined where the public URL has an IP address: a passkey belongs to a host name. */
export const relyingPartyOf = (publicUrl: string): RelyingParty | undefined => {
  const { hostname, origin } = new URL(publicUrl)
  return /^[\d.]+$|^\[/.test(hostname) ? undefined : { id: hostname, origin }
}

const NAME = 'Bursar'
const TIMEOUT_MS = 5 * 60_000
/** EdDSA, ES256 and RS256, by their numbers in the registry of COSE. */
const ALGORITHMS = [-8, -7, -257]
const LONGEST_ANSWER = 16_000

interface Descriptor {
  id: string
  type: 'public-key'
}
const descriptorsOf = (passkeys: readonly Pick<Passkey, 'credentialId'>[]): Descriptor[] =>
  passkeys.map(({ credentialId }) => ({ id: credentialId, type: 'public-key' }))

/** Options for `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const creationOptions = (
  party: RelyingParty,
  person: { id: string; email: string },
  challenge: string,
  existing: readonly Pick<Passkey, 'credentialId'>[],
): object => ({
  rp: { id: party.id, name: NAME },
  user: { id: handleOf(person.id), name: person.email, displayName: person.email },
  challenge,
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  timeout: TIMEOUT_MS,
  attestation: 'none',
  excludeCredentials: descriptorsOf(existing),
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
})

/** Options for `PublicKeyCredential.parseRequestOptionsFromJSON`. Without `allowed`, the person chooses a passkey. */
export const requestOptions = (
  party: RelyingParty,
  challenge: string,
  allowed: readonly Pick<Passkey, 'credentialId'>[] = [],
): object => ({
  rpId: party.id,
  challenge,
  timeout: TIMEOUT_MS,
  userVerification: 'required',
  allowCredentials: descriptorsOf(allowed),
})

const handleOf = (personId: string): string => Buffer.from(personId.replaceAll('-', ''), 'hex').toString('base64url')

interface Answer {
  id: string
  response: { userHandle?: string | null; clientDataJSON: string; attestationObject?: string }
}

/** An answer as the page sent it; undefined if it is none. */
const readAnswer = (text: string): Answer | undefined => {
  if (text.length > LONGEST_ANSWER) return undefined
  try {
    const answer = JSON.parse(text) as Partial<Answer> | null
    const isAnswer = typeof answer?.id === 'string' && typeof answer.response?.clientDataJSON === 'string'
    return isAnswer ? (answer as Answer) : undefined
  } catch {
    return undefined
  }
}

/** The credential that an answer is of; undefined if it is no answer. */
export const credentialIdIn = (text: string): string | undefined => readAnswer(text)?.id

export interface Expected {
  party: RelyingParty
  isChallenge: (challenge: string) => boolean
}

/** An answer to a challenge of this purpose; undefined where there are no passkeys. */
export const expectedFor = (
  { party, challenges }: { party: RelyingParty | undefined; challenges: Pick<Challenges, 'isOf'> },
  purpose: string,
  now: Date,
): Expected | undefined => party && { party, isChallenge: (challenge) => challenges.isOf(challenge, purpose, now) }

export interface NewKey {
  credentialId: string
  publicKey: Buffer
  counter: number
  /** to be spent by `useChallenge` */
  challenge: string
}

/**
 * Verifies that a passkey was made for this origin and challenge, with the person verified. The attestation is not
 * asked for: any authenticator may be used. An answer with certificates is refused, because the library would fetch the
 * revocation lists from the URLs that they name, which may be in our network.
 */
export const verifyNewPasskey = async (text: string, expected: Expected): Promise<NewKey | undefined> => {
  const { response, challengeSeen, checks } = reading(text, expected)
  if (response === undefined) return undefined
  if (!(await isWithoutCertificates(response))) return undefined
  // The library takes a second to load, and most processes never need it.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyRegistrationResponse({
    response: response as unknown as RegistrationResponseJSON,
    ...checks,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined)
  if (verified?.verified !== true) return undefined
  const { id, publicKey, counter } = verified.registrationInfo.credential
  return { credentialId: id, publicKey: Buffer.from(publicKey), counter, challenge: challengeSeen() }
}

/**
 * Whether a new key is attested by nothing or by itself. Browsers remove every other attestation when none was asked
 * for (Web Authentication, 5.1.3).
 */
const isWithoutCertificates = async ({ response: { attestationObject } }: Answer): Promise<boolean> => {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  try {
    const attestation = decodeAttestationObject(Buffer.from(attestationObject ?? '', 'base64url'))
    const isSelf = attestation.get('fmt') === 'packed' && attestation.get('attStmt').get('x5c') === undefined
    return isSelf || attestation.get('fmt') === 'none'
  } catch {
    return false
  }
}

/**
 * Verifies that a stored passkey answered this challenge, at this origin, with the person verified, and a counter that
 * did not go back.
 * @returns the new counter, and the challenge to be spent by `useChallenge`
 */
export const verifyPasskey = async (
  text: string,
  passkey: Pick<Passkey, 'credentialId' | 'personId' | 'publicKey' | 'counter'>,
  expected: Expected,
): Promise<{ counter: number; challenge: string } | undefined> => {
  const { response, challengeSeen, checks } = reading(text, expected)
  const handle = response?.response.userHandle
  if (response === undefined || (typeof handle === 'string' && handle !== handleOf(passkey.personId))) return undefined
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    ...checks,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: passkey.counter,
    },
  }).catch(() => undefined)
  if (verified?.verified !== true) return undefined
  return { counter: verified.authenticationInfo.newCounter, challenge: challengeSeen() }
}

/** An answer, with the checks that the library makes of every answer. */
const reading = (text: string, { party, isChallenge }: Expected) => {
  let seen = ''
  return {
    response: readAnswer(text),
    challengeSeen: () => seen,
    checks: {
      expectedChallenge: (challenge: string): boolean => {
        seen = challenge
        return isChallenge(challenge)
      },
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    },
  }
}

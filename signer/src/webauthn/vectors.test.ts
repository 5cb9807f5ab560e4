/**
 * The test vectors of Web Authentication level 3, section 16: registrations and answers of several authenticators for
 * the relying party example.org, with their challenges.
 */
import type { KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readAuthenticatorData } from './authenticator-data.ts'
import { readWholeCbor } from './cbor.ts'
import { AnswerRefused, relyingPartyOf, verifyAssertion, verifyRegistration } from './ceremony.ts'

interface Vector {
  id: string
  created: Record<'challenge' | 'clientDataJSON' | 'attestationObject', string>
  used: Record<'challenge' | 'authenticatorData' | 'clientDataJSON' | 'signature', string>
}

const VECTORS = JSON.parse(readFileSync(new URL('test-vectors.json', import.meta.url), 'utf8')) as Record<
  string,
  Vector
>
const party = relyingPartyOf('https://example.org')

const bytes = <Name extends string>(texts: Record<Name, string>): Record<Name, Buffer> =>
  Object.fromEntries(Object.entries<string>(texts).map(([name, hex]) => [name, Buffer.from(hex, 'hex')])) as Record<
    Name,
    Buffer
  >

const faultOf = (work: () => unknown): string => {
  try {
    work()
    return 'none'
  } catch (error) {
    if (error instanceof AnswerRefused) return error.fault
    throw error
  }
}

/** The public key of a vector's credential, whether or not the registration counts. */
const keyOf = (attestationObject: Buffer): KeyObject => {
  const object = readWholeCbor(attestationObject) as Map<string, Uint8Array>
  return readAuthenticatorData(Buffer.from(object.get('authData')!)).credential!.key
}

/** In some answers the authenticators of the vectors did not verify the person. */
const UNVERIFIED = 'verification'

describe('the vectors of the specification', () => {
  test.each([
    ['none-es256', UNVERIFIED, UNVERIFIED],
    ['packed-self-es256', 'none', UNVERIFIED],
    ['none-es256-crossOrigin', 'cross-origin', 'cross-origin'],
    ['none-es256-topOrigin', 'cross-origin', 'cross-origin'],
    ['none-es256-long-credential-id', UNVERIFIED, 'none'],
    ['packed-es256', 'none', 'none'],
    ['packed-eddsa', UNVERIFIED, UNVERIFIED],
  ])('%s: created %s, used %s', (name, ofCreated, ofUsed) => {
    const { created, used, id } = VECTORS[name]!
    const { challenge, ...registration } = bytes(created)
    const register = (): { id: Buffer } => verifyRegistration(registration, { challenge, party })
    expect(faultOf(register)).toBe(ofCreated)
    const { challenge: asked, ...assertion } = bytes(used)
    const judged = { key: keyOf(registration.attestationObject), challenge: asked, party }
    expect(faultOf(() => verifyAssertion(assertion, judged))).toBe(ofUsed)
    // The signature is judged before the flags, which it covers: a flag that was set by hand makes it invalid.
    const changed = Buffer.from(assertion.authenticatorData)
    changed[32]! ^= 0x04
    const ofChanged = ofUsed === 'cross-origin' ? ofUsed : 'signature'
    expect(faultOf(() => verifyAssertion({ ...assertion, authenticatorData: changed }, judged))).toBe(ofChanged)
    if (ofCreated === 'none') expect(register().id.toString('hex')).toBe(id)
  })

  test('a key of another algorithm is not enrolled', () => {
    const { challenge, ...registration } = bytes(VECTORS['packed-es384']!.created)
    expect(() => verifyRegistration(registration, { challenge, party })).toThrow(/another kind/)
  })
})

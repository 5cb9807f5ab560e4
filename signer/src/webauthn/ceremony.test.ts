import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { createAuthenticator } from '../../../test/world/authenticator.ts'
import type { Answering } from '../../../test/world/authenticator.ts'
import { APPROVALS_ORIGIN, bytesOf, makePasskey } from '../../../test/world/passkeys.ts'
import { readAuthenticatorData } from './authenticator-data.ts'
import { readWholeCbor } from './cbor.ts'
import { AnswerRefused, relyingPartyOf, verifyAssertion, verifyRegistration } from './ceremony.ts'
import type { Assertion } from './ceremony.ts'
import { keyOfCose, readPasskeyKey, writePasskeyKey } from './credential-key.ts'

const party = relyingPartyOf(APPROVALS_ORIGIN)
const passkey = makePasskey('alice')
const key = readPasskeyKey(passkey.entry.publicKey)!
const challenge = randomBytes(32)

function faultOf(work: () => unknown): string {
  try {
    work()
    return 'none'
  } catch (error) {
    if (error instanceof AnswerRefused) return error.fault
    throw error
  }
}

const judge = (assertion: Assertion, more: object = {}): string =>
  faultOf(() => verifyAssertion(assertion, { key, challenge, party, ...more }))

/** An answer with other client data, signed by a key of this test. */
function withClientData(data: object | string): { assertion: Assertion; key: typeof key } {
  const pair = generateKeyPairSync('ed25519')
  const { authenticatorData } = passkey.answer(challenge)
  const clientDataJSON = Buffer.from(typeof data === 'string' ? data : JSON.stringify(data))
  const hash = createHash('sha256').update(clientDataJSON).digest()
  const signature = sign(null, Buffer.concat([authenticatorData, hash]), pair.privateKey)
  return { assertion: { authenticatorData, clientDataJSON, signature }, key: pair.publicKey }
}

const rightData = {
  type: 'webauthn.get',
  challenge: challenge.toString('base64url'),
  origin: APPROVALS_ORIGIN,
  crossOrigin: false,
}

describe('an answer of a passkey', () => {
  test('counts, with the counter of its authenticator', () => {
    expect(verifyAssertion(passkey.answer(challenge, { counter: 7 }), { key, challenge, party })).toEqual({
      counter: 7,
    })
  })

  test.each<[string, string, Answering]>([
    ['on a page of another origin', 'origin', { origin: 'https://approve.example.org' }],
    ['on a subdomain', 'origin', { origin: 'https://evil.approve.example.com' }],
    ['on another port', 'origin', { origin: 'https://approve.example.com:8443' }],
    ['over plain HTTP', 'origin', { origin: 'http://approve.example.com' }],
    ['inside another page', 'cross-origin', { crossOrigin: true }],
    ['for another relying party', 'relying-party', { rpId: 'example.com' }],
    ['without a person', 'presence', { absent: true }],
    ['without verification of the person', 'verification', { unverified: true }],
  ])('%s does not count', (_name, fault, how) => {
    expect(judge(passkey.answer(challenge, how))).toBe(fault)
  })

  test('with more client data than a browser makes does not count', () => {
    const judgeLong = (length: number): string => {
      const { assertion, key: own } = withClientData({ ...rightData, more: 'x'.repeat(length) })
      return judge(assertion, { key: own })
    }
    expect([judgeLong(1500), judgeLong(2048)]).toEqual(['none', 'malformed'])
  })

  test('that is synced although it may not be does not count', () => {
    const data = (flags: number): Buffer => Buffer.concat([Buffer.alloc(32), Buffer.of(flags), Buffer.alloc(4)])
    expect([0x05, 0x0d, 0x1d].map((flags) => readAuthenticatorData(data(flags)).maySync)).toEqual([false, true, true])
    expect(() => readAuthenticatorData(data(0x15))).toThrow('synced')
  })

  test('to another challenge, or by another key, does not count', () => {
    expect(judge(passkey.answer(randomBytes(32)))).toBe('challenge')
    expect(judge(makePasskey('bob').answer(challenge))).toBe('signature')
  })

  test.each<[string, string, object | string]>([
    ['right', 'none', rightData],
    ['without crossOrigin', 'none', { ...rightData, crossOrigin: undefined }],
    ['of a registration', 'type', { ...rightData, type: 'webauthn.create' }],
    ['with a padded challenge', 'challenge', { ...rightData, challenge: `${rightData.challenge}=` }],
    ['with another top page', 'cross-origin', { ...rightData, topOrigin: APPROVALS_ORIGIN }],
    ['with crossOrigin as a text', 'cross-origin', { ...rightData, crossOrigin: 'false' }],
    ['that are a list', 'malformed', '[]'],
    ['that are no JSON', 'malformed', '{'],
  ])('with client data %s: %s', (_name, fault, data) => {
    const { assertion, key: other } = withClientData(data)
    expect(judge(assertion, { key: other })).toBe(fault)
  })

  test('is of use for nothing when one of its bytes is changed or cut off', () => {
    const right = passkey.answer(challenge)
    const part = fc.constantFrom('authenticatorData' as const, 'clientDataJSON' as const, 'signature' as const)
    fc.assert(
      fc.property(part, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), (name, at, flip, cut) => {
        const bytes = Buffer.from(right[name])
        const changed = cut ? bytes.subarray(0, at % bytes.length) : bytes
        if (!cut) changed[at % bytes.length]! ^= flip
        expect(judge({ ...right, [name]: changed })).not.toBe('none')
      }),
      { numRuns: cases(2_000) },
    )
  })

  test('that is any bytes is refused, not a failure', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }), (first, second) => {
        const [authenticatorData, other] = [Buffer.from(first), Buffer.from(second)]
        expect(judge({ authenticatorData, clientDataJSON: other, signature: other })).toBe('malformed')
        const { clientDataJSON, signature } = passkey.answer(challenge)
        expect(judge({ authenticatorData, clientDataJSON, signature })).not.toBe('none')
        expect(faultOf(() => register({ attestationObject: authenticatorData }))).toBe('malformed')
      }),
      { numRuns: cases(500) },
    )
  })
})

const authenticator = createAuthenticator(APPROVALS_ORIGIN)
const options = { challenge: challenge.toString('base64url'), rp: { id: party.rpId }, user: { id: 'YWxpY2U' } }
const created = (how: Answering = {}) =>
  bytesOf(authenticator.make(options, how), ['attestationObject', 'clientDataJSON'])

function register(more: Partial<ReturnType<typeof created>>, how: Answering = {}): { id: Buffer } {
  return verifyRegistration({ ...created(how), ...more }, { challenge, party })
}

describe('a new passkey', () => {
  test('is read, with and without an attestation', () => {
    expect(register({}).id.toString('base64url')).toBe(authenticator.credentialId)
    expect(register({}, { attested: true }).id.toString('base64url')).toBe(authenticator.credentialId)
  })

  test.each<[string, string, Answering]>([
    ['of another origin', 'origin', { origin: 'https://evil.example' }],
    ['of another relying party', 'relying-party', { rpId: 'evil.example' }],
    ['without a person', 'presence', { absent: true }],
    ['without verification of the person', 'verification', { unverified: true }],
  ])('%s is refused', (_name, fault, how) => {
    expect(faultOf(() => register({}, how))).toBe(fault)
  })

  test('is refused when its attestation is changed in length or structure', () => {
    const { attestationObject } = created()
    fc.assert(
      fc.property(fc.nat({ max: attestationObject.length - 1 }), (length) => {
        expect(faultOf(() => register({ attestationObject: attestationObject.subarray(0, length) }))).toBe('malformed')
      }),
      { numRuns: cases(200) },
    )
    const longer = Buffer.concat([attestationObject, Buffer.of(0)])
    expect(faultOf(() => register({ attestationObject: longer }))).toBe('malformed')
  })
})

describe('CBOR and keys', () => {
  const cbor = (hex: string): unknown => readWholeCbor(Buffer.from(hex, 'hex'))

  test('values of RFC 8949, appendix A', () => {
    expect(cbor('1903e8')).toBe(1000)
    expect(cbor('3903e7')).toBe(-1000)
    expect(cbor('62c3bc')).toBe('ü')
    expect(cbor('83010203')).toEqual([1, 2, 3])
    expect(cbor('a201020304')).toEqual(new Map([[1, 2], [3, 4]])) // prettier-ignore
    expect(cbor('44010203 04'.replace(' ', ''))).toEqual(Uint8Array.of(1, 2, 3, 4))
    expect([cbor('f4'), cbor('f5'), cbor('f6')]).toEqual([false, true, null])
  })

  test.each([
    ['an indefinite length', '9fff'],
    ['a tag', 'c074323031332d30332d32315432303a30343a30305a'],
    ['a fraction', 'f93c00'],
    ['a head that is too long', '1817'],
    ['64 bits', '1b000000e8d4a51000'],
    ['a key twice', 'a201020103'],
    ['a list as a key', 'a18001'],
    ['nesting', '8181818181818100'],
    ['a length beyond the end', '5affffffff'],
    ['many members', '9affffffff'],
    ['no UTF-8', '61ff'],
    ['more bytes', '0000'],
    ['nothing', ''],
  ])('%s is refused', (_name, hex) => {
    expect(() => cbor(hex)).toThrow(/CBOR/)
  })

  test('a point beside its curve, and a key with another member, are no keys', () => {
    const jwk = key.export({ format: 'jwk' })
    const members = (y: string, more: [number, number][] = []): Map<number, number | Uint8Array> =>
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Uint8Array.from(Buffer.from(jwk.x!, 'base64url'))],
        [-3, Uint8Array.from(Buffer.from(y, 'base64url'))],
        ...more,
      ])
    expect(keyOfCose(members(jwk.y!)).equals(key)).toBe(true)
    expect(() => keyOfCose(members(jwk.x!))).toThrow(/point/)
    expect(() => keyOfCose(members(jwk.y!, [[4, 1]]))).toThrow(/other members/)
  })

  test('the text of a key in the policy has one form', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
    expect(readPasskeyKey(writePasskeyKey(rsa))).toBeUndefined()
    expect(readPasskeyKey(`${writePasskeyKey(key)}00`)).toBeUndefined()
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey
    expect(readPasskeyKey(writePasskeyKey(p384))).toBeUndefined()
    expect(createPublicKey(key.export({ format: 'pem', type: 'spki' })).equals(key)).toBe(true)
  })
})

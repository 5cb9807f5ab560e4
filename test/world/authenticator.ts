/**
 * A double of an authenticator and the browser before it: Web Authentication level 3, sections 5.8.1, 6.1 and 6.5, with
 * ES256 and, by default, without an attestation. Its answers are those of `PublicKeyCredential.toJSON()`.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate, type KeyObject } from 'node:crypto'
import { certify } from './certificate.ts'

const [PRESENT, VERIFIED, HAS_KEY] = [0x01, 0x04, 0x40]

/** Deviations that a test needs. */
export interface Answering {
  origin?: string
  rpId?: string
  /** the person was not verified by fingerprint or PIN */
  unverified?: boolean
  /** no person was present */
  absent?: boolean
  /** the page was shown inside a page of another origin */
  crossOrigin?: boolean
  /** the counter that is signed, in place of the next one */
  counter?: number
  /** a new key is attested by a certificate, in the format `fido-u2f` (8.6), although no attestation was requested */
  attested?: boolean
}

export interface TestAuthenticator {
  credentialId: string
  /** Answers the options of the page with a new key. */
  make(options: object, how?: Answering): string
  /** Signs the challenge of the options. */
  use(options: object, how?: Answering): string
}

interface Options {
  challenge: string
  rp?: { id: string }
  rpId?: string
  user?: { id: string }
}

/** @param origin of the page that asks */
export const createAuthenticator = (origin: string): TestAuthenticator => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  const credentialId = id.toString('base64url')
  let [counter, handle] = [0, '']
  const clientData = (type: string, challenge: string, how: Answering): Buffer =>
    Buffer.from(
      JSON.stringify({ type, challenge, origin: how.origin ?? origin, crossOrigin: how.crossOrigin ?? false }),
    )
  const head = (rpId: string, flags: number, how: Answering): Buffer => {
    counter += 1
    const bytes = Buffer.alloc(5)
    const unset = (how.unverified === true ? VERIFIED : 0) | (how.absent === true ? PRESENT : 0)
    bytes.writeUInt8(flags & ~unset)
    bytes.writeUInt32BE(how.counter ?? counter, 1)
    return Buffer.concat([sha256(Buffer.from(how.rpId ?? rpId)), bytes])
  }
  const answer = (response: Record<string, string>): string =>
    JSON.stringify({
      id: credentialId,
      rawId: credentialId,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response,
    })
  return {
    credentialId,
    make: (options, how = {}) => {
      const { challenge, rp, user } = options as Options
      handle = user!.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const authData = Buffer.concat([
        head(rp!.id, PRESENT | VERIFIED | HAS_KEY, how),
        Buffer.alloc(16),
        length,
        id,
        coseOf(publicKey),
      ])
      const data = clientData('webauthn.create', challenge, how)
      const attestation = cbor(
        new Map<string, Cbor>([
          ['fmt', how.attested === true ? 'fido-u2f' : 'none'],
          ['attStmt', how.attested === true ? attest(authData.subarray(0, 32), data, id, publicKey) : new Map()],
          ['authData', authData],
        ]),
      )
      return answer({
        clientDataJSON: data.toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      })
    },
    use: (options, how = {}) => {
      const { challenge, rpId } = options as Options
      const data = clientData('webauthn.get', challenge, how)
      const authData = head(rpId!, PRESENT | VERIFIED, how)
      const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey)
      return answer({
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: handle,
      })
    },
  }
}

/** Attests a key with a certificate that signed itself. */
const attest = (rpIdHash: Buffer, clientData: Buffer, id: Buffer, key: KeyObject): Map<string, Cbor> => {
  const attester = certify('authenticator')
  const { x, y } = key.export({ format: 'jwk' })
  const point = [Buffer.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]
  const signed = Buffer.concat([Buffer.of(0), rpIdHash, sha256(clientData), id, ...point])
  return new Map<string, Cbor>([
    ['sig', sign('sha256', signed, attester.privateKey)],
    ['x5c', [new X509Certificate(attester.cert).raw]],
  ])
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()

/** A key of P-256 as COSE (RFC 9053, section 7.1.1). */
const coseOf = (key: KeyObject): Buffer => {
  const { x, y } = key.export({ format: 'jwk' })
  return cbor(
    new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x!, 'base64url')],
      [-3, Buffer.from(y!, 'base64url')],
    ]),
  )
}

type Cbor = number | string | Buffer | readonly Cbor[] | Map<number, Cbor> | Map<string, Cbor>

/** CBOR (RFC 8949) of small integers, texts, bytes, lists and maps. */
const cbor = (value: Cbor): Buffer => {
  if (typeof value === 'number') return value < 0 ? prefix(1, -1 - value) : prefix(0, value)
  if (typeof value === 'string') return Buffer.concat([prefix(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([prefix(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([prefix(4, value.length), ...(value as readonly Cbor[]).map(cbor)])
  const entries = [...(value as Map<number | string, Cbor>)]
  return Buffer.concat([prefix(5, entries.length), ...entries.flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

const prefix = (major: number, length: number): Buffer =>
  length < 24
    ? Buffer.of((major << 5) | length)
    : Buffer.of((major << 5) | 24 | (length > 255 ? 1 : 0), ...(length > 255 ? [length >> 8] : []), length & 255)

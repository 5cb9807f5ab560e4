import { X509Certificate, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** Certificates for tests, written in DER by hand (RFC 5280): they need no tool, and no key in the repository. */
export interface Certified {
  name: string
  /** PEM */
  cert: string
  key: string
  privateKey: KeyObject
  serial: Buffer
}

const SEQUENCE = 0x30
const SET = 0x31
const ECDSA_WITH_SHA256 = node(SEQUENCE, Buffer.from('06082a8648ce3d040302', 'hex'))
const COMMON_NAME = Buffer.from('0603550403', 'hex')
const BASIC_CONSTRAINTS_CA = node(SEQUENCE, Buffer.from('0603551d130101ff040530030101ff', 'hex'))
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex')

function node(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function nameOf(commonName: string): Buffer {
  return node(SEQUENCE, node(SET, node(SEQUENCE, COMMON_NAME, node(0x0c, Buffer.from(commonName)))))
}

function utcTime(time: number): Buffer {
  const text = new Date(time).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)
  return node(0x17, Buffer.from(`${text}Z`))
}

/** A certificate valid for this day, signed by `issuer` or by itself; an issued one names localhost and `dns` too. */
export function certify(name: string, issuer?: Certified, dns: readonly string[] = []): Certified {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const validity = node(SEQUENCE, utcTime(Date.now() - 3_600_000), utcTime(Date.now() + 86_400_000))
  const names = ['localhost', ...dns].map((one) => node(0x82, Buffer.from(one)))
  const altNames = node(SEQUENCE, ...names, node(0x87, Buffer.from([127, 0, 0, 1])))
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(4)])
  const extension = issuer ? node(SEQUENCE, SUBJECT_ALT_NAME, node(0x04, altNames)) : BASIC_CONSTRAINTS_CA
  const toSign = node(
    SEQUENCE,
    node(0xa0, Buffer.from([2, 1, 2])),
    node(0x02, serial),
    ECDSA_WITH_SHA256,
    nameOf(issuer?.name ?? name),
    validity,
    nameOf(name),
    publicKey.export({ format: 'der', type: 'spki' }),
    node(0xa3, node(SEQUENCE, extension)),
  )
  const cert = pem('CERTIFICATE', signedDer(toSign, issuer?.privateKey ?? privateKey))
  return { name, cert, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), privateKey, serial }
}

/** The authority's list of revoked certificates (RFC 5280, section 5), PEM. */
export function revoke(issuer: Certified, revoked: readonly Certified[]): string {
  const entries = revoked.map(({ serial }) => node(SEQUENCE, node(0x02, serial), utcTime(Date.now() - 60_000)))
  const toSign = node(
    SEQUENCE,
    node(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    nameOf(issuer.name),
    utcTime(Date.now() - 60_000),
    utcTime(Date.now() + 86_400_000),
    ...(entries.length > 0 ? [node(SEQUENCE, ...entries)] : []),
  )
  return pem('X509 CRL', signedDer(toSign, issuer.privateKey))
}

function signedDer(toSign: Buffer, key: KeyObject): Buffer {
  return node(SEQUENCE, toSign, ECDSA_WITH_SHA256, node(0x03, Buffer.from([0]), sign('sha256', toSign, key)))
}

function pem(label: string, der: Buffer): string {
  return `-----BEGIN ${label}-----\n${der.toString('base64').replaceAll(/(.{64})/g, '$1\n')}\n-----END ${label}-----\n`
}

/** As `openssl x509 -fingerprint -sha256` prints it. */
export function fingerprintOf({ cert }: Certified): string {
  return new X509Certificate(cert).fingerprint256
}

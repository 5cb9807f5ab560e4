import { generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** Certificates for tests, written in DER by hand (RFC 5280): they need no tool, and no key in the repository. */
export interface Certified {
  name: string
  /** PEM */
  cert: string
  key: string
  privateKey: KeyObject
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

/** A certificate valid for this day, signed by `issuer` or by itself; that of a server names localhost too. */
export function certify(name: string, issuer?: Certified): Certified {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const validity = node(SEQUENCE, utcTime(Date.now() - 3_600_000), utcTime(Date.now() + 86_400_000))
  const altNames = node(SEQUENCE, node(0x82, Buffer.from('localhost')), node(0x87, Buffer.from([127, 0, 0, 1])))
  const extension = issuer ? node(SEQUENCE, SUBJECT_ALT_NAME, node(0x04, altNames)) : BASIC_CONSTRAINTS_CA
  const toSign = node(
    SEQUENCE,
    node(0xa0, Buffer.from([2, 1, 2])),
    node(0x02, Buffer.from([1, Math.floor(Math.random() * 256)])),
    ECDSA_WITH_SHA256,
    nameOf(issuer?.name ?? name),
    validity,
    nameOf(name),
    publicKey.export({ format: 'der', type: 'spki' }),
    node(0xa3, node(SEQUENCE, extension)),
  )
  const signature = sign('sha256', toSign, issuer?.privateKey ?? privateKey)
  const der = node(SEQUENCE, toSign, ECDSA_WITH_SHA256, node(0x03, Buffer.from([0]), signature))
  const body = der.toString('base64').replaceAll(/(.{64})/g, '$1\n')
  const cert = `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`
  return { name, cert, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), privateKey }
}

import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'

/** A person who may sign adjustments. */
export interface Person {
  id: string
  /** Ed25519, 32 bytes, hex */
  publicKey: string
  /** the login under which the person runs commands */
  login: string
}

/** The text that an enrolled person signs to vouch for another one. @param database see `adjustmentText` */
export const enrolmentText = ({ id, publicKey, login }: Person, database: string): string =>
  `bursar person v1\ndatabase: ${database}\nperson: ${id}\npublic key: ${publicKey}\nlogin: ${login}\n`

/** Whether the person has signed exactly this text. @param signature 64 bytes, hex */
export const hasSigned = ({ publicKey }: Pick<Person, 'publicKey'>, text: string, signature: string): boolean => {
  if (!/^[0-9a-f]{128}$/.test(signature)) return false
  const x = Buffer.from(publicKey, 'hex').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'hex'))
}

/** Creates a key: PEM for its owner only, and the public key for the enrolment. */
export const makePersonKey = (): { pem: string; publicKey: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: rawHex(publicKey.export({ type: 'spki', format: 'der' })),
  }
}

/** Signs a text offline. Throws an Error when the key is not an Ed25519 key. @returns hex */
export const signText = (pem: string, text: string): string => {
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error('the key is no Ed25519 key: make one with `bursar person key`')
  return sign(null, Buffer.from(text), key).toString('hex')
}

/** The last 32 bytes of an Ed25519 key in DER are the key itself (RFC 8410). */
const rawHex = (der: Buffer): string => der.subarray(-32).toString('hex')

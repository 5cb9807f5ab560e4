import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

/**
 * Encrypts values at rest with AES-256-GCM. The owner of a value is associated data, so that the value can't be moved
 * to another row.
 */
export interface SecretBox {
  /** @param belongsTo such as `merchant-key|MERCHANT|KEY` */
  seal(plain: string, belongsTo: string): string
  /** Throws when the value was changed, moved, or sealed with another key. */
  open(sealed: string, belongsTo: string): string
}

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** @param key 32 bytes; every sealed value contains the first hex digits of its hash */
export const createSecretBox = (key: Uint8Array): SecretBox => {
  if (key.length !== KEY_BYTES) throw new RangeError(`the data key has ${key.length} bytes, not ${KEY_BYTES}`)
  const id = keyName(key)
  return {
    seal: (plain, belongsTo) => {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(belongsTo))
      const sealed = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `v1.${id}.${sealed.toString('base64url')}`
    },
    open: (sealed, belongsTo) => {
      const [version, keyId, text] = sealed.split('.')
      if (version !== 'v1' || text === undefined) throw new Error('a sealed value is malformed')
      if (keyId !== id) throw new Error(`a value is sealed with data key ${keyId}, and this process has ${id}`)
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(belongsTo))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
    },
  }
}

/** A box with several keys, so that keys can be replaced: the first seals, each opens the values that it has sealed. */
export interface SecretRing extends SecretBox {
  /** the prefix of every value that the first key has sealed */
  readonly newest: string
}

/** @param keys the newest first; 32 bytes each */
export const createSecretRing = (keys: readonly Uint8Array[]): SecretRing => {
  const boxes = new Map(keys.map((key) => [prefixOf(key), createSecretBox(key)]))
  const [first] = keys
  if (first === undefined) throw new RangeError('a ring needs at least one key')
  const newest = prefixOf(first)
  return {
    newest,
    seal: (plain, belongsTo) => boxes.get(newest)!.seal(plain, belongsTo),
    open: (sealed, belongsTo) => {
      const box = [...boxes].find(([prefix]) => sealed.startsWith(prefix))?.[1] ?? boxes.get(newest)!
      return box.open(sealed, belongsTo)
    },
  }
}

/** A sealed value as the first key seals it; undefined if no key of the ring opens it. */
export const resealed = (ring: SecretRing, sealed: string, belongsTo: string): string | undefined => {
  try {
    return ring.seal(ring.open(sealed, belongsTo), belongsTo)
  } catch {
    return undefined
  }
}

/** The name of a key: the first hex digits of its SHA-256. Every sealed value has the name of its key. */
export const keyName = (key: Uint8Array): string => createHash('sha256').update(key).digest('hex').slice(0, 8)
const prefixOf = (key: Uint8Array): string => `v1.${keyName(key)}.`

/** Derives a separate key for one purpose. It reveals nothing about the original key. */
export const deriveKey = (key: Uint8Array, purpose: string): Uint8Array =>
  createHmac('sha256', key).update(`bursar ${purpose}`).digest()

/** Parses keys, one on each line, newest first. */
export const readDataKeys = (text: string): Uint8Array[] => {
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(readDataKey)
  if (keys.length === 0) throw new RangeError('write at least one key')
  if (new Set(keys.map(keyName)).size !== keys.length) throw new RangeError('a key is listed twice')
  return keys
}

/** Parses a data key: 64 hex digits, or base64 of 32 bytes. */
export const readDataKey = (text: string): Uint8Array => {
  const trimmed = text.trim()
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex')
  if (/^[A-Za-z0-9+/]{43}=?$/.test(trimmed)) return Buffer.from(trimmed, 'base64')
  throw new RangeError('a data key is 64 hex digits, or base64 of 32 bytes')
}

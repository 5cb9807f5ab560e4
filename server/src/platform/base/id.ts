import { hash } from 'node:crypto'

/** Creates a new identifier. It is passed in, so that a seeded run gives the same ids. */
export type NewId = () => string

/**
 * UUID version 7 (RFC 9562): 48 bits of Unix time in ms, then random bits. Rows that are inserted together are adjacent
 * in an index.
 * @param now ms since the epoch
 * @param random 10 random bytes
 */
export const uuidv7 = (now: number, random: Uint8Array): string => {
  if (random.length !== 10) throw new RangeError('uuidv7 needs 10 random bytes')
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes.set(random, 6)
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return formatted(bytes)
}

/** The identifier of a text, the same each time: a UUID of version 8 (RFC 9562, 5.8), 122 bits of its SHA-256. */
export const uuidOf = (text: string): string => {
  const bytes = hash('sha256', text, 'buffer').subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return formatted(bytes)
}

const formatted = (bytes: Buffer): string => {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** True for a lowercase UUID in its 36-character form. */
export const isUuid = (text: string): boolean => UUID.test(text)

import { createHmac, timingSafeEqual } from 'node:crypto'

/** A raw body: text is encoded as UTF-8, bytes are used as they are. */
export type RawBody = string | Uint8Array

const digest = (key: string | Uint8Array, pieces: readonly RawBody[]): Uint8Array => {
  const hmac = createHmac('sha256', key)
  for (const piece of pieces) hmac.update(piece)
  return hmac.digest()
}

/**
 * The `signature` header of a request.
 * @param target path and query exactly as sent, without scheme and host
 * @param timestamp Unix seconds, the value of the `timestamp` header
 */
export const signRequest = (
  { method, target, body, timestamp }: { method: string; target: string; body: RawBody; timestamp: string },
  privateKey: string,
): string => Buffer.from(digest(privateKey, [method, target, body, timestamp])).toString('hex')

/**
 * True when any of the signatures was made over the pieces with any of the keys. Takes the same time whichever matches,
 * or none.
 */
export const anyMatches = (
  signatures: readonly Uint8Array[],
  keys: readonly (string | Uint8Array)[],
  pieces: readonly RawBody[],
): boolean => {
  let matches = 0
  for (const key of keys) {
    const expected = digest(key, pieces)
    for (const signature of signatures) {
      if (signature.length === expected.length) matches |= Number(timingSafeEqual(signature, expected))
    }
  }
  return matches === 1
}

/** base64 of a hash over key, data and key: SHA-1 in version 3 of the protocol, SHA3-256 in version 7. */
import { createHash, timingSafeEqual } from 'node:crypto'

export function sign(version: 3 | 7, privateKey: string, data: string): string {
  return createHash(version === 7 ? 'sha3-256' : 'sha1')
    .update(`${privateKey}${data}${privateKey}`, 'utf8')
    .digest('base64')
}

export function isSigned(version: 3 | 7, privateKey: string, data: string, signature: string): boolean {
  const [a, b] = [Buffer.from(signature), Buffer.from(sign(version, privateKey, data))]
  return a.length === b.length && timingSafeEqual(a, b)
}

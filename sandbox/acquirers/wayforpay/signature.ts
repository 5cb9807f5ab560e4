/** HMAC-MD5 over fields joined by `;`. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export function sign(secretKey: string, fields: readonly string[]): string {
  return createHmac('md5', Buffer.from(secretKey, 'utf8'))
    .update(Buffer.from(fields.join(';'), 'utf8'))
    .digest('hex')
}

export function isSigned(secretKey: string, fields: readonly string[], signature: string): boolean {
  const [a, b] = [Buffer.from(signature), Buffer.from(sign(secretKey, fields))]
  return a.length === b.length && timingSafeEqual(a, b)
}

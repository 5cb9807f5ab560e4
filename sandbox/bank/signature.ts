/** The signature of both sides: HMAC-SHA256 in hex, over lines that identify their direction. See README.md. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Maximum difference of a request's time from the bank's real clock, in ms. */
export const requestWindowMs = 300_000

export interface SignedRequest {
  readonly timestamp: string
  readonly method: string
  /** path and query as sent */
  readonly target: string
  readonly body: string
}

export function signRequest(secret: string, { timestamp, method, target, body }: SignedRequest): string {
  return sign(secret, ['request', timestamp, method, target, body])
}

export function signCallback(secret: string, timestamp: string, body: string): string {
  return sign(secret, ['callback', timestamp, body])
}

/** Compares in constant time. */
export function isSame(given: string | undefined, right: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function sign(secret: string, lines: readonly string[]): string {
  return createHmac('sha256', secret).update(lines.join('\n')).digest('hex')
}

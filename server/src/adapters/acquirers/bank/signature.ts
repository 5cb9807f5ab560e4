import { createHmac, timingSafeEqual } from 'node:crypto'

/** The bank's signatures, by sandbox/bank/README.md: HMAC-SHA256 in hex over lines. */

export const requestSignature = (
  secret: string,
  { timestamp, method, target, body }: { timestamp: string; method: string; target: string; body: string },
): string => sign(secret, ['request', timestamp, method, target, body])

/** Whether the bank signed a callback. Compares in constant time. */
export const isSignedCallback = (
  secret: string,
  given: { timestamp: string; body: Buffer; signature: string },
): boolean => {
  const right = createHmac('sha256', secret).update(`callback\n${given.timestamp}\n`).update(given.body).digest()
  const signature = /^[0-9a-f]{64}$/.test(given.signature) ? Buffer.from(given.signature, 'hex') : Buffer.alloc(0)
  return signature.length === right.length && timingSafeEqual(signature, right)
}

const sign = (secret: string, lines: readonly string[]): string =>
  createHmac('sha256', secret).update(lines.join('\n')).digest('hex')

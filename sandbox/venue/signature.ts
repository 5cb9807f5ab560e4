/**
 * Signs requests as Binance does: HMAC-SHA256 in hex, with the account's secret, over the query and body as sent,
 * concatenated.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export const signatureOf = (secret: string, payload: string): string =>
  createHmac('sha256', secret).update(payload).digest('hex')

/** Returns the parameters of a request with a valid signature; undefined for any other. */
export const signedParameters = (secret: string, sent: string): URLSearchParams | undefined => {
  const at = sent.lastIndexOf('&signature=')
  if (at < 0) return undefined
  const [given, right] = [
    Buffer.from(sent.slice(at + '&signature='.length)),
    Buffer.from(signatureOf(secret, sent.slice(0, at))),
  ]
  return given.length === right.length && timingSafeEqual(given, right)
    ? new URLSearchParams(sent.slice(0, at))
    : undefined
}

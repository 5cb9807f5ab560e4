import { WebhookError } from './errors.ts'
import type { Notification } from './generated.ts'
import { checkFreshness, headerOf, listOfKeys, notificationOf } from './received.ts'
import type { ReceivedWebhook } from './received.ts'
import { anyMatches } from './signature.ts'

/** The address of the webhook: the notifications URL as in the merchant's settings, or its two parts. */
export type WebhookAddress =
  | { readonly url: string }
  | {
      /** The Host header that was sent: it contains the port unless that is the scheme's default. */
      readonly host: string
      /** Path and query. */
      readonly path: string
    }

export type VerifyWebhook = ReceivedWebhook &
  WebhookAddress & {
    /** The merchant's private key, or both keys while one is being replaced. */
    readonly privateKeys: string | readonly string[]
    /** Greatest difference between the notification's timestamp and this clock; default: 5 seconds. */
    readonly toleranceMs?: number | undefined
    /** The clock, in ms since the epoch. */
    readonly now?: (() => number) | undefined
  }

const addressOf = (address: WebhookAddress): string => {
  if (!('url' in address)) return address.host + address.path
  const { host, pathname, search } = new URL(address.url)
  return host + pathname + search
}

/**
 * Verifies the `SIGNATURE` and `TIMESTAMP` headers of a notification and returns its body, typed by `kind` and
 * `status`. Throws `WebhookError`: then answer 401 and ignore the request. A notification may arrive more than once:
 * deduplicate by its `webhook-id` header.
 */
export const verifyWebhook = (received: VerifyWebhook): Notification => {
  const { rawBody, privateKeys, toleranceMs = 5_000, now = Date.now } = received
  const keys = listOfKeys('privateKeys', privateKeys)
  const signature = headerOf(received, 'signature')
  const timestamp = headerOf(received, 'timestamp')
  if (signature === undefined || timestamp === undefined) throw new WebhookError(-1, 'A signature header is missing')
  checkFreshness(timestamp, { now: now(), toleranceMs })
  const message = [`POST${addressOf(received)}`, rawBody, timestamp]
  const given = /^[0-9a-f]{64}$/.test(signature) ? [Buffer.from(signature, 'hex')] : []
  if (!anyMatches(given, keys, message)) throw new WebhookError(-1, 'The signature is not right')
  return notificationOf(received)
}

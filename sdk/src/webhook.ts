import { WebhookError } from './errors.ts'
import type { Notification } from './generated.ts'
import { checkFreshness, headerOf, listOfKeys, notificationOf } from './received.ts'
import type { ReceivedWebhook } from './received.ts'
import { anyMatches } from './signature.ts'

/** Where the service sent it: the notifications URL as in the merchant's settings, or its two parts. */
export type WebhookAddress =
  | { readonly url: string }
  | {
      /** With the port unless it is the scheme's default, as in the Host header that was sent. */
      readonly host: string
      /** Path and query. */
      readonly path: string
    }

export type VerifyWebhook = ReceivedWebhook &
  WebhookAddress & {
    /** The merchant's private key; both of them while it is being replaced. */
    readonly privateKeys: string | readonly string[]
    /** Greatest difference between the notification's timestamp and this clock, 5 seconds when absent. */
    readonly toleranceMs?: number | undefined
    /** The clock, ms since the epoch. */
    readonly now?: (() => number) | undefined
  }

const addressOf = (address: WebhookAddress): string => {
  if (!('url' in address)) return address.host + address.path
  const { host, pathname, search } = new URL(address.url)
  return host + pathname + search
}

/**
 * Verifies the `SIGNATURE` and `TIMESTAMP` headers of a notification and answers its body, typed by `kind` and
 * `status`. Throws `WebhookError`: answer 401 then, and use nothing of what was sent. The same notification may come
 * more than once: remember its `webhook-id` header.
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

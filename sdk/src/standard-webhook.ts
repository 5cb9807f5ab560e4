import { WebhookError } from './errors.ts'
import type { Notification } from './generated.ts'
import { checkFreshness, headerOf, listOfKeys, notificationOf } from './received.ts'
import type { ReceivedWebhook } from './received.ts'
import { anyMatches } from './signature.ts'

export type VerifyStandardWebhook = ReceivedWebhook & {
  /** The endpoint's `whsec_` secret, or both secrets while one is being replaced. */
  readonly secrets: string | readonly string[]
  /** Greatest difference between the notification's timestamp and this clock; default: 5 minutes. */
  readonly toleranceMs?: number | undefined
  /** The clock, in ms since the epoch. */
  readonly now?: (() => number) | undefined
}

const keyOf = (secret: string): Uint8Array => {
  const base64 = secret.replace(/^whsec_/, '')
  const key = Buffer.from(base64, 'base64')
  if (key.length === 0 || key.toString('base64') !== base64) throw new TypeError('a secret is not whsec_ and base64')
  return key
}

/** Extracts the version 1 signatures from a header of several, separated by spaces. */
const signaturesOf = (header: string): Uint8Array[] =>
  header.split(' ').flatMap((part) => (part.startsWith('v1,') ? [Buffer.from(part.slice(3), 'base64')] : []))

/**
 * Verifies the `webhook-id`, `webhook-timestamp` and `webhook-signature` headers of a notification, according to the
 * Standard Webhooks specification, and returns its body. Needs no URL, so it also works behind a proxy that changes it.
 * Throws `WebhookError`.
 */
export const verifyStandardWebhook = (received: VerifyStandardWebhook): Notification => {
  const { rawBody, secrets, toleranceMs = 300_000, now = Date.now } = received
  const keys = listOfKeys('secrets', secrets).map(keyOf)
  const id = headerOf(received, 'webhook-id')
  const timestamp = headerOf(received, 'webhook-timestamp')
  const signatures = signaturesOf(headerOf(received, 'webhook-signature') ?? '')
  if (id === undefined || timestamp === undefined) throw new WebhookError(-1, 'A webhook header is missing')
  checkFreshness(timestamp, { now: now(), toleranceMs })
  const message = [`${id}.${timestamp}.`, rawBody]
  if (!anyMatches(signatures, keys, message)) throw new WebhookError(-1, 'No signature is right')
  return notificationOf(received)
}

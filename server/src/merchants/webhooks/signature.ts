import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { notificationHeaders, notificationMessage, standardWebhookMessage } from '@bursar/contract'
import { targetOf, type Target } from '../../platform/outbound/index.ts'
import type { ClaimedEvent } from './stream.ts'

/** The current URL and keys for the notifications of a receiver. */
export interface Endpoint {
  url: string
  /** private key that makes SIGNATURE, as text; null: additional endpoints get no SIGNATURE */
  signingKey: string | null
  /** `whsec_` secrets of Standard Webhooks; two while one replaces the other */
  webhookSecrets: readonly string[]
}

/**
 * Returns a receiver's current endpoint; null while it has no URL, or is off. It returns a value, not a promise, for a
 * merchant in memory.
 */
export type EndpointOf = (receiverId: string) => Endpoint | null | Promise<Endpoint | null>

/** A stored event, or a test, which has no sequence. */
type Message = Pick<ClaimedEvent, 'id' | 'body'> & { sequence: number | null }

/** An endpoint with its keys imported and its URL parsed. */
export interface Signer {
  endpoint: Endpoint
  /**
   * Headers of one attempt, names and values alternating.
   * @param at ms, real clock: the receiver compares it with its own clock
   * @param attempt 1 for the first
   */
  headers(message: Message, at: number, attempt: number): string[]
}

export const createSigner = (endpoint: Endpoint): Signer => {
  const target = readTarget(endpoint.url)
  const key = endpoint.signingKey === null ? null : createSecretKey(endpoint.signingKey, 'utf8')
  const secrets = endpoint.webhookSecrets.map((secret) => createSecretKey(secret.replace(/^whsec_/, ''), 'base64'))
  return {
    endpoint,
    headers: ({ id, sequence, body }, at, attempt) => {
      // The HTTP client refuses such a URL, so nothing is signed.
      if (target === null) return []
      const timestamp = String(Math.floor(at / 1_000))
      return [
        'content-type',
        'application/json',
        'user-agent',
        'Bursar',
        ...(key === null
          ? []
          : [
              notificationHeaders.signature,
              hmac(key, notificationMessage(target.host, target.path, body, timestamp), 'hex'),
            ]),
        notificationHeaders.timestamp,
        timestamp,
        notificationHeaders.webhookId,
        id,
        notificationHeaders.webhookTimestamp,
        timestamp,
        ...standardSignature(secrets, standardWebhookMessage(id, timestamp, body)),
        notificationHeaders.deliveryAttempt,
        String(attempt),
        ...(sequence === null ? [] : [notificationHeaders.eventSequence, String(sequence)]),
      ]
    },
  }
}

const readTarget = (url: string): Target | null => {
  try {
    return targetOf(url, { allowHttp: true })
  } catch {
    return null
  }
}

/** True when a signer has the receiver's current endpoint. */
export const isCurrent = ({ endpoint }: Signer, now: Endpoint): boolean =>
  endpoint.url === now.url &&
  endpoint.signingKey === now.signingKey &&
  endpoint.webhookSecrets.length === now.webhookSecrets.length &&
  endpoint.webhookSecrets.every((secret, i) => secret === now.webhookSecrets[i])

const standardSignature = (secrets: readonly KeyObject[], message: readonly string[]): string[] =>
  secrets.length === 0
    ? []
    : [notificationHeaders.webhookSignature, secrets.map((secret) => `v1,${hmac(secret, message, 'base64')}`).join(' ')]

const hmac = (key: KeyObject, message: readonly string[], encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', key).update(message.join('')).digest(encoding)

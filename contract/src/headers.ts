/** The HTTP headers of the API. Names are case-insensitive. */

/** Headers of a request (`contract.md` sections 1.1 and 2, 18 #13). */
export const requestHeaders = {
  /** Merchant identifier, a UUID. */
  merchantId: 'merchant-id',
  /** HMAC-SHA256 of MESSAGE, 64 lowercase hex digits. */
  signature: 'signature',
  /** Unix time in seconds, the same text as in MESSAGE. */
  timestamp: 'timestamp',
  /** Optional on every signed POST. Not part of MESSAGE. */
  idempotencyKey: 'idempotency-key',
  /** Optional: the id of the additional key that signed the request, a UUID. Not part of MESSAGE. */
  keyId: 'key-id',
} as const

/** Headers of a response. */
export const responseHeaders = {
  /** Identifies this request in the server's logs; also `requestId` in an error body. */
  requestId: 'x-request-id',
  /** Whole seconds to wait: with 429, 503, and the 409 of a key in progress or a deposit not screened yet. */
  retryAfter: 'retry-after',
  /**
   * On a list that contains last known prices, because their markets are closed: the time of the oldest of these
   * prices, Unix time in milliseconds.
   */
  lastKnownPrices: 'x-last-known-prices',
} as const

/** Headers of a notification (`contract.md` section 6 and 18 #16). */
export const notificationHeaders = {
  /** HMAC-SHA256 of MESSAGE for this attempt, 64 lowercase hex digits. */
  signature: 'SIGNATURE',
  /** Unix time of this attempt in seconds. */
  timestamp: 'TIMESTAMP',
  /** Standard Webhooks: identifies the notification; the same on every attempt. */
  webhookId: 'webhook-id',
  /** Standard Webhooks: Unix time of this attempt in seconds. */
  webhookTimestamp: 'webhook-timestamp',
  /** Standard Webhooks: `v1,BASE64`; several, separated by spaces, while a secret is being replaced. */
  webhookSignature: 'webhook-signature',
  /** 1 for the first attempt. */
  deliveryAttempt: 'x-delivery-attempt',
  /** The `sequence` of this notification in `GET /merchants/events`. */
  eventSequence: 'x-event-sequence',
} as const

/**
 * Patterns of header values. A timestamp has exactly ten digits: MESSAGE has no separators, so with a variable width
 * digits could move between the path or body and the timestamp.
 */
export const headerPatterns = {
  timestamp: '^[0-9]{10}$',
  signature: '^[0-9a-f]{64}$',
  idempotencyKey: '^[\\x21-\\x7e]{1,255}$',
  keyId: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
} as const

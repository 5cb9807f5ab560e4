/**
 * MESSAGE, the bytes that are signed (`contract.md` sections 2 and 6): its pieces in order, with nothing between them.
 * The signature is the HMAC-SHA256 of the pieces, with the merchant's private key as UTF-8 text, in lowercase hex. The
 * pieces are not joined, so that a body remains the bytes that were received: decoding could change them.
 */
export type Message<Body extends string | Uint8Array = string | Uint8Array> = readonly [
  head: string,
  body: Body,
  timestamp: string,
]

/**
 * MESSAGE of a request to the API.
 * @param method upper case, as on the request line
 * @param target the raw request target, path and query with their percent-encoding as sent: `/merchants/...?a=b`
 * @param body the raw body; the empty string when there is none
 * @param timestamp the value of the `timestamp` header, Unix seconds
 */
export const requestMessage = <Body extends string | Uint8Array>(
  method: string,
  target: string,
  body: Body,
  timestamp: string,
): Message<Body> => [method + target, body, timestamp]

/**
 * MESSAGE of a notification.
 * @param host the Host header that is sent: with the port unless it is the scheme's default
 * @param path path and query of the receiver's URL, from its first `/`
 * @param body the raw body
 * @param timestamp the value of the `TIMESTAMP` header, Unix seconds
 */
export const notificationMessage = <Body extends string | Uint8Array>(
  host: string,
  path: string,
  body: Body,
  timestamp: string,
): Message<Body> => ['POST' + host + path, body, timestamp]

/**
 * The message of a Standard Webhooks signature: `ID.TIMESTAMP.BODY`. The signature is its HMAC-SHA256 with the decoded
 * `whsec_` secret, in base64.
 * @param id the value of the `webhook-id` header
 * @param timestamp the value of the `webhook-timestamp` header, Unix seconds
 */
export const standardWebhookMessage = <Body extends string | Uint8Array>(
  id: string,
  timestamp: string,
  body: Body,
): readonly [head: string, body: Body] => [`${id}.${timestamp}.`, body]

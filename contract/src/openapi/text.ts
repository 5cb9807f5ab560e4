/** The prose of the OpenAPI document. */

export const introduction = `
Crypto deposits and withdrawals, crypto and fiat invoices, card payouts, balances, exchange, and signed notifications.

**Amounts** are decimal strings, never JSON numbers. Amounts that the server prints have no exponent and no trailing zeros.
**Times** are milliseconds since the epoch; the \`timestamp\` header is in seconds.
**Errors** are \`{code, description}\`. Codes below 0 and from 100 mean the same everywhere; 0 to 8 depend on the
operation.
**Unknown fields** of a body are refused by name. Unknown query parameters are ignored, and the text \`undefined\`
counts as absent.
**Repeating a call** that moves money is safe with the same \`localId\`, or with the same \`Idempotency-Key\`. The same
signed request sent twice gets the first answer: two equal payments within one second need different \`localId\`s.
**Versions**: fields are only added. Clients ignore fields they don't know.
`.trim()

export const signatureText = `
HMAC-SHA256 of MESSAGE with the merchant's private key, as 64 lowercase hex digits. MESSAGE is, with nothing between
the parts:

1. the method in upper case,
2. the path and the query exactly as sent, percent-encoding kept, without scheme and host,
3. the raw body, or nothing when there is none,
4. the value of the \`timestamp\` header.

The key is used as text, not decoded from hex. Example: with the key \`private-key\`,
\`GET/merchants/assets/crypto1677486443\` gives
\`a6351a236ac09284b9c31c1037a1b75541c2ca98b6ad2680f26bb4bb93c25751\`.
`.trim()

export const timestampText =
  'Unix time in seconds, ten digits, the same text as in MESSAGE. Accepted when at most 60 seconds old (else code ' +
  '-2) and at most 5 seconds ahead of the server (else code -3).'

export const idempotencyKeyText =
  'The same key with the same body gets the first answer again, for 30 days; with another body, or while the first ' +
  'is in progress, 409. 1 to 255 visible ASCII characters. Not part of MESSAGE.'

export const keyIdText =
  'The id of the additional key with which the request is signed; absent with the main key. Not part of MESSAGE: a ' +
  'signature by another key does not verify. The key needs every scope in `x-scopes` of the operation; a `target` also ' +
  'needs `exchange`, and with an `address` also `payouts`. Else 403, code 108.'

export const notificationsText = `
Webhooks to the merchant's notifications URL: HTTP POST, one at a time and in order for each object. Any 2xx answer
within 10 seconds is success; redirects are not followed.

**Verify** each: MESSAGE is \`POST\`, then the URL without its scheme (host, port unless default, path, query), then
the raw body, then the \`TIMESTAMP\` header, with nothing between them. \`SIGNATURE\` is its HMAC-SHA256 with the
private key in lowercase hex. The \`webhook-*\` headers carry the same notification in the Standard Webhooks form,
signed with a \`whsec_\` secret of its own.
`.trim()

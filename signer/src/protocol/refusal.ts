/**
 * The class of a refusal determines the next step of the caller:
 * - item: this payment is refused in any transaction. Other payments may still be signed
 * - now: the payment is not at fault; the same request may succeed later
 * - identity: the intent was signed or closed before. Get its transactions before doing anything else
 * - nonce: the nonce was signed for something else. The payment may use another
 * - request: this transaction is refused as it was built
 */
export type RefusalClass = 'item' | 'now' | 'identity' | 'nonce' | 'request'

/** All refusal codes, each with its class and HTTP status. The codes are stable. */
export const REFUSALS = {
  'bad-request': { of: 'request', status: 400, meaning: 'the request has not the documented shape' },
  'not-parsable': {
    of: 'request',
    status: 400,
    meaning: 'the unsigned bytes differ from those that chainkit writes for a payout',
  },
  network: { of: 'request', status: 400, meaning: 'the network, chain id or kind of transaction is not in the policy' },
  'unknown-asset': { of: 'item', status: 400, meaning: 'the asset is not in the policy of this network' },
  disabled: {
    of: 'now',
    status: 403,
    meaning: 'signing is switched off in the policy: for all, the network or the asset',
  },
  'key-mismatch': { of: 'request', status: 422, meaning: 'a key named for an input does not own it' },
  'amount-mismatch': { of: 'request', status: 422, meaning: 'the transaction pays another amount than the intent' },
  'destination-mismatch': {
    of: 'request',
    status: 422,
    meaning: 'the transaction does not pay the destination of the intent',
  },
  'unknown-output': {
    of: 'request',
    status: 422,
    meaning: 'the transaction does something that is neither intent nor our change',
  },
  'fee-too-high': { of: 'request', status: 422, meaning: 'the fee is above a cap of the policy' },
  expiration: {
    of: 'request',
    status: 422,
    meaning: 'the transaction has expired, or expires later than the policy allows',
  },
  limit: {
    of: 'item',
    status: 403,
    meaning: 'the amount of an intent, a stake or a loan is above the largest amount the policy allows',
  },
  velocity: { of: 'now', status: 403, meaning: 'this amount or fee would exceed the limit of an hour or a day' },
  'needs-approval': { of: 'item', status: 403, meaning: 'the amount needs approvals that the request does not carry' },
  'intent-changed': { of: 'identity', status: 409, meaning: 'this intent was signed before with other contents' },
  'intent-already-signed': {
    of: 'identity',
    status: 409,
    meaning: 'an earlier transaction for this intent could confirm beside this one',
  },
  'intent-closed': {
    of: 'identity',
    status: 409,
    meaning: 'nothing was signed for this intent, and it was closed: nothing ever will be',
  },
  'transaction-changed': {
    of: 'request',
    status: 409,
    meaning: 'this transaction was signed before for other intents or inputs',
  },
  authorization: { of: 'request', status: 409, meaning: 'this authorisation could take effect beside an earlier one' },
  'nonce-used': { of: 'nonce', status: 409, meaning: 'this nonce was signed before for something else' },
  rotated: {
    of: 'request',
    status: 422,
    meaning: 'the second seed is active, and the transaction spends money of the first or pays an address of it',
  },
  'log-cut-back': {
    of: 'now',
    status: 409,
    meaning: 'the log does not hold a line that the caller saw: it was cut back or exchanged',
  },
  busy: { of: 'now', status: 429, meaning: 'too many requests wait; send it again' },
} as const satisfies Record<string, { of: RefusalClass; status: number; meaning: string }>

export type RefusalCode = keyof typeof REFUSALS

/**
 * Thrown by a rule that is broken; the HTTP server turns it into an answer. Contains no secrets: it is sent and logged.
 */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: RefusalCode
  /** Ids of the intents that the refusal concerns; absent when it concerns the whole request */
  readonly intents: readonly string[] | undefined

  constructor(code: RefusalCode, message: string, intents?: readonly string[]) {
    super(message)
    this.code = code
    this.intents = intents
  }
}

export function isRefusalCode(text: string): text is RefusalCode {
  return Object.hasOwn(REFUSALS, text)
}

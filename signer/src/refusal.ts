/** Every reason for which the signer says no, with the HTTP status it travels under. The codes are stable. */
export const REFUSALS = {
  'bad-request': { status: 400, meaning: 'the request has not the documented shape' },
  'not-parsable': { status: 400, meaning: 'the unsigned bytes are not exactly what chainkit writes for a payout' },
  network: { status: 400, meaning: 'the network, chain id or kind of transaction is not in the policy' },
  'unknown-asset': { status: 400, meaning: 'the asset is not in the policy of this network' },
  disabled: { status: 403, meaning: 'signing is switched off in the policy: for all, the network or the asset' },
  'key-mismatch': { status: 422, meaning: 'a key named for an input does not own it' },
  'amount-mismatch': { status: 422, meaning: 'the transaction pays another amount than the intent' },
  'destination-mismatch': { status: 422, meaning: 'the transaction does not pay the destination of the intent' },
  'unknown-output': { status: 422, meaning: 'the transaction does something that is neither intent nor our change' },
  'fee-too-high': { status: 422, meaning: 'the fee is above a cap of the policy' },
  expiration: { status: 422, meaning: 'the transaction has expired, or expires later than the policy allows' },
  limit: { status: 403, meaning: 'an intent, or what is staked or lent, is above the largest amount the policy allows' },
  velocity: { status: 403, meaning: 'the hour or day has no room left for this amount or fee' },
  'needs-approval': { status: 403, meaning: 'the amount needs approvals that the request does not carry' },
  'intent-changed': { status: 409, meaning: 'this intent was signed before with other contents' },
  'intent-already-signed': {
    status: 409,
    meaning: 'an earlier transaction for this intent could confirm beside this one',
  },
  'transaction-changed': { status: 409, meaning: 'this transaction was signed before for other intents or inputs' },
  authorization: { status: 409, meaning: 'this authorisation could take effect beside an earlier one' },
  'nonce-used': { status: 409, meaning: 'this nonce was signed before for something else' },
  busy: { status: 429, meaning: 'too many requests wait; send it again' },
} as const satisfies Record<string, { status: number; meaning: string }>

export type RefusalCode = keyof typeof REFUSALS

/** Thrown where a rule is broken and turned into an answer in one place. Holds no secrets: it is sent and logged. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

export function isRefusalCode(text: string): text is RefusalCode {
  return Object.hasOwn(REFUSALS, text)
}

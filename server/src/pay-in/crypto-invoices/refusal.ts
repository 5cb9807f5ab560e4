/** Why a payer's request can't be carried out; the page explains it in the payer's language. */
export type PayerReason =
  /** no such invoice */
  | 'not-found'
  /** paid, or expired */
  | 'ended'
  | 'choose-ticker'
  | 'choose-blockchain'
  /** not offered for this invoice */
  | 'ticker-refused'
  | 'blockchain-refused'
  | 'choose-value'
  /** not a positive decimal, or finer than the network's precision */
  | 'value-invalid'
  /** below the minimum that the network credits */
  | 'value-too-small'
  /** there is no fresh price, so no payment is requested */
  | 'no-price'
  | 'email-missing'
  | 'email-invalid'
  /** the link is not valid */
  | 'token-refused'
  /** nothing is left to claim */
  | 'nothing-to-claim'
  | 'address-invalid'
  /** a claim is waiting for the merchant, or was approved */
  | 'claimed-already'

/** Bursar refuses a request of the payer. */
export class PayerRefusal extends Error {
  override name = 'PayerRefusal'
  readonly reason: PayerReason
  /** the field of the form that it concerns */
  readonly field: string | undefined
  /** other problems of the same form */
  others: readonly PayerRefusal[] = []

  constructor(reason: PayerReason, field?: string) {
    super(reason)
    this.reason = reason
    this.field = field
  }
}

export const isPayerRefusal = (error: unknown): error is PayerRefusal => error instanceof PayerRefusal

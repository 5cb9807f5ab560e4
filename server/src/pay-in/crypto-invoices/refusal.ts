/** Why what a payer wants can't be done; the page says it in the payer's language. */
export type PayerReason =
  /** no such invoice */
  | 'not-found'
  /** paid, or its time is over */
  | 'ended'
  | 'choose-ticker'
  | 'choose-blockchain'
  /** not offered for this invoice */
  | 'ticker-refused'
  | 'blockchain-refused'
  | 'choose-value'
  /** no decimal above zero, or finer than the network carries */
  | 'value-invalid'
  /** below what the network credits */
  | 'value-too-small'
  /** there is no fresh price, so nothing is asked for */
  | 'no-price'
  | 'email-invalid'
  /** the link does not prove anything */
  | 'token-refused'
  /** nothing is left to ask for */
  | 'nothing-to-claim'
  | 'address-invalid'
  /** a claim is with the merchant, or was granted */
  | 'claimed-already'

export class PayerRefusal extends Error {
  override name = 'PayerRefusal'
  readonly reason: PayerReason
  /** the field of the form it is about */
  readonly field: string | undefined

  constructor(reason: PayerReason, field?: string) {
    super(reason)
    this.reason = reason
    this.field = field
  }
}

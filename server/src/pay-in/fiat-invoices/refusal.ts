import type { FiatAsset } from '../../market/assets/index.ts'

/** Why what a payer wants can't be done; the page says it in the payer's language. */
export type FiatPayerReason =
  /** no such invoice */
  | 'not-found'
  /** paid, failed, or its time is over */
  | 'ended'
  | 'email-missing'
  | 'email-invalid'
  | 'choose-ticker'
  /** not offered here */
  | 'ticker-refused'
  | 'choose-value'
  /** no decimal above zero, or finer than the currency has */
  | 'value-invalid'
  /** outside the limits of the currency, which `asset` has */
  | 'value-limits'
  /** no acquirer takes such a payment now */
  | 'unavailable'

export class FiatPayerRefusal extends Error {
  override name = 'FiatPayerRefusal'
  readonly reason: FiatPayerReason
  /** the field of the form it is about */
  readonly field: 'email' | 'value' | 'ticker' | undefined
  readonly asset: FiatAsset | undefined

  constructor(reason: FiatPayerReason, field?: 'email' | 'value' | 'ticker', asset?: FiatAsset) {
    super(reason)
    this.reason = reason
    this.field = field
    this.asset = asset
  }
}

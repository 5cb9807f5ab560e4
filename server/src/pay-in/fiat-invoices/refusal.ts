import type { FiatAsset } from '../../market/assets/index.ts'

/** Why a payer's request can't be carried out; the page explains it in the payer's language. */
export type FiatPayerReason =
  /** no such invoice */
  | 'not-found'
  /** paid, failed or expired */
  | 'ended'
  | 'email-missing'
  | 'email-invalid'
  | 'choose-ticker'
  /** not offered here */
  | 'ticker-refused'
  | 'choose-value'
  /** not a positive decimal, or finer than the currency's precision */
  | 'value-invalid'
  /** outside the limits of the currency in `asset` */
  | 'value-limits'
  /** no acquirer accepts such a payment now */
  | 'unavailable'

export class FiatPayerRefusal extends Error {
  override name = 'FiatPayerRefusal'
  readonly reason: FiatPayerReason
  /** the field of the form that it concerns */
  readonly field: 'email' | 'value' | 'ticker' | undefined
  readonly asset: FiatAsset | undefined
  /** other problems of the same form */
  others: readonly FiatPayerRefusal[] = []

  constructor(reason: FiatPayerReason, field?: 'email' | 'value' | 'ticker', asset?: FiatAsset) {
    super(reason)
    this.reason = reason
    this.field = field
    this.asset = asset
  }
}

export const isFiatPayerRefusal = (error: unknown): error is FiatPayerRefusal => error instanceof FiatPayerRefusal

import type { AttemptState, PartState } from './machine.ts'

/** The order that a payout is part of: kind, object and fixed fields of the notifications about its end. */
export interface NotifiedAs {
  kind: string
  objectId: string
  body: Record<string, unknown>
}

/** A card payout as the merchant ordered it. Amounts are ledger units of the ticker. */
export interface Payout {
  merchantId: string
  id: string
  kind: 'single' | 'batch'
  ticker: string
  units: bigint
  /** of all parts together, on top of `units` */
  fee: bigint
  maskedCard: string
  localId: string | null
  meta: string | null
  /** the ledger transfer that holds the money of parts that have not ended */
  holdId: string
  /** null: it is notified as a payout of its own */
  notifiedAs: NotifiedAs | null
  createdAt: Date
}

/** One payment of a payout. */
export interface Part {
  merchantId: string
  payoutId: string
  id: string
  /** counted from 0 */
  number: number
  ticker: string
  units: bigint
  /** its share of the payout's fee */
  fee: bigint
  state: PartState
  failReason: string | null
  /** how many orders were made for it */
  attempts: number
  /** counts its claims: a worker whose claim has passed to another writes nothing */
  epoch: number
  createdAt: Date
}

/** One order to one account with an acquirer. */
export interface Attempt {
  /** our reference at the acquirer, permanently this order's */
  reference: string
  merchantId: string
  payoutId: string
  partId: string
  /** the account's name */
  account: string
  state: AttemptState
  /** how often it was queried */
  asks: number
  epoch: number
  sentAt: Date
  /** when the acquirer called with a contradiction of its end that is not confirmed yet */
  calledAt: Date | null
}

import type { AttemptState, PartState } from './machine.ts'

/** What a payout is a part of: the kind, object and fixed fields of the notifications that tell how it ends. */
export interface NotifiedAs {
  kind: string
  objectId: string
  body: Record<string, unknown>
}

/** A payout to a card as the merchant asked for it. Amounts are ledger units of the ticker. */
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
  /** the ledger transfer that holds what has not ended yet */
  holdId: string
  /** null: it is notified as what it is */
  notifiedAs: NotifiedAs | null
  createdAt: Date
}

/** One payment of a payout. */
export interface Part {
  merchantId: string
  payoutId: string
  id: string
  /** from 0 */
  number: number
  ticker: string
  units: bigint
  /** its share of the payout's fee */
  fee: bigint
  state: PartState
  failReason: string | null
  /** orders that were made for it */
  attempts: number
  /** counts how often it was taken up: a worker that was overtaken writes nothing */
  epoch: number
  createdAt: Date
}

/** One order to one account with an acquirer. */
export interface Attempt {
  /** what the acquirer knows it by: ours, and its own permanently */
  reference: string
  merchantId: string
  payoutId: string
  partId: string
  /** the account's name */
  account: string
  state: AttemptState
  /** how often it was asked for */
  asks: number
  epoch: number
  sentAt: Date
  /** when the acquirer called to say something else than how it ended, unconfirmed since */
  calledAt: Date | null
}

/**
 * A payment or payout as an acquirer's emulator stores it. Amounts are minor units as digits, times are ms. No card
 * number is stored.
 */
import type { Outcome, Telling } from '../faults.ts'

export type Kind = 'payment' | 'payout'

/** `secure`: the payer is asked for a code. `reversed`: all of the money went back. */
export type Status = 'created' | 'secure' | 'processing' | 'succeeded' | 'refused' | 'expired' | 'reversed'

/** Why a card was refused; each acquirer has its own code and text for it. */
export type Reason = 'refused' | 'insufficient-funds' | 'limit' | 'secure-failed'

export interface Order {
  /** kind and reference: unique as the acquirer has it */
  readonly id: string
  readonly kind: Kind
  /** the merchant's */
  readonly reference: string
  /** the acquirer's own number */
  readonly number: number
  /** in the address of the page */
  readonly token: string
  readonly units: string
  readonly currency: string
  readonly description: string
  readonly callbackUrl: string
  readonly returnUrl: string
  readonly createdAt: number
  readonly expiresAt?: number
  readonly status: Status
  /** the amount that was really paid, or sent to the card */
  readonly moved?: string
  /** the returned amount of it */
  readonly refunded: string
  readonly fee?: string
  /** first six and last four digits */
  readonly card?: { readonly first: string; readonly last: string }
  readonly reason?: Reason
  readonly decidedAt?: number
  readonly telling?: Telling
  /** its next state, and the time of the change, ms of the real clock */
  readonly outcome?: Outcome
  readonly dueAt?: number
  /** the requested refunds, oldest first */
  readonly refunds?: readonly RefundRow[]
  /** attempts with other cards that were refused before this one */
  readonly before?: readonly Attempt[]
  readonly wrongCodes: number
}

export interface RefundRow {
  readonly units: string
  readonly status: 'done' | 'pending' | 'failed'
  /** of the merchant, where the acquirer takes one */
  readonly key?: string
  /** made in the acquirer's own cabinet */
  readonly isOutside?: true
  /** questions for the payment that don't show it yet */
  readonly hidden?: number
}

/** A payment whose card was refused, after which the page accepted another one. */
export type Attempt = Pick<Order, 'number' | 'card' | 'reason' | 'decidedAt'>

/** Returns the minor units of an order's open refunds. */
export function pendingUnits({ refunds = [] }: Order): bigint {
  return refunds.reduce((sum, { status, units }) => sum + (status === 'pending' ? BigInt(units) : 0n), 0n)
}

export const plainTelling: Telling = { delayMs: 0, duplicate: 0, reorder: false, drop: false, badSignature: false }

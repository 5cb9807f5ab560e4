/**
 * An account with an acquirer: its books, read past its front, and its acts, in the same terms for every interface.
 * Amounts are minor units, times are ms.
 */
import type { Outcome } from '../../../sandbox/acquirers/faults.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { Faults } from '../faults.ts'
import type { HttpFront } from '../fronts/http.ts'
import type { VirtualClock } from '../virtual.ts'
import type { Callbacks } from './callbacks.ts'
import type { Earlier } from './earlier.ts'
import type { Interface } from './interfaces.ts'
import type { PayerPage } from './payer-page.ts'

/** The states of orders that all acquirers have. `reversed`: all of the money went back. */
type Status = 'created' | 'secure' | 'processing' | 'succeeded' | 'refused' | 'expired' | 'reversed'

export interface Payment {
  readonly kind: 'payment'
  readonly account: string
  /** the program's */
  readonly reference: string
  /** the name of the invoice */
  readonly description: string
  readonly status: Status
  /** currency of the charge */
  readonly currency: string
  /** the amount that was charged; undefined: none */
  readonly paid: bigint | undefined
  /** when it was decided; undefined: it was not */
  readonly decidedAt: number | undefined
  /** the amount that requests of the program gave back, or are about to; and how many requests */
  readonly refunded: bigint
  readonly refunds: number
  /** a part that a person gave back at the acquirer's own console */
  readonly refundedThere: bigint
  /** the acquirer first said that it failed, or left it open beyond its time */
  readonly isLate: boolean
  /** the program has acknowledged the newest callback about it */
  readonly isHeard: boolean
  /** the whole went back not long ago, and a statement shows it */
  readonly isStated: boolean
}

export interface Payout {
  readonly kind: 'payout'
  readonly account: string
  readonly reference: string
  readonly status: Status
  readonly currency: string
  /** the amount that the card was sent; undefined: none */
  readonly sent: bigint | undefined
  /** the first six and the last four digits of the card */
  readonly card: string
  /** it stays in processing until a person decides it */
  readonly isStuck: boolean
  /** the program has acknowledged the newest callback about it */
  readonly isHeard: boolean
}

/** How a payer's bank carries out a payment. */
export type Paying = 'as ordered' | 'another amount' | 'another currency'

export interface SimulatedAccount {
  readonly name: string
  readonly interface: Interface
  /** through which the program asks it */
  readonly front: HttpFront
  /** of its answers to questions */
  readonly earlier: Earlier
  readonly callbacks: Callbacks
  /** cards with a meaning, without those that leave a payment open */
  readonly cards: readonly string[]
  readonly waysToPay: readonly Paying[]
  payments(): Payment[]
  payouts(): Payout[]
  /** A payer follows the page's link or form. @returns the payment's reference; undefined: there is no such page */
  open(page: PayerPage): Promise<string | undefined>
  /** The payer of an open page types a card. @returns the payment's status */
  pay(reference: string, card: string, paying: Paying): string
  /** All that is left of a payment is charged back, or the money of a payout comes back. */
  reverse(order: Payment | Payout): void
  /** The refunds that are taken up meanwhile wait for the shop's next payments. */
  queueRefunds<T>(work: () => Promise<T>): Promise<T>
  /** The record of a payment as its callbacks have it. */
  recordOf(payment: Payment): string
  /** A person gives back a part, or what is left, at the acquirer's own console. */
  refundThere(payment: Payment, units: bigint): void
  /** A payment that was refused, or is open, succeeds after all, perhaps with another amount than was ordered. */
  succeedLate(payment: Payment, outcome?: 'success' | 'wrong-amount'): void
  /** Decides a payout that is stuck. */
  release(payout: Payout, outcome: Outcome): void
  /** Calls about an order that the program does not have. @returns false: it has no order to copy */
  callAbout(reference: string): boolean
  /** Carries out what is due by now, refunds that wait included. @returns how many orders changed */
  goOn(): number
  stop(): Promise<void>
}

export interface AccountOptions {
  name: string
  /** of its books */
  dir: string
  clock: VirtualClock
  faults: Faults
  /** of its decisions */
  random: Random
}

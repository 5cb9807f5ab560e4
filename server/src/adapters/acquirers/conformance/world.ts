import type { Acquirer, CardTicker, PaymentPage, RawCallback } from '../port.ts'

/** Outcome of the next payment that is paid, or of the next payout. */
type Outcome = 'success' | 'refused' | 'stuck' | 'reversed' | 'wrong-amount'

/**
 * How the acquirer answers the next order (a payment, payout or refund). `cut`, `held`, `error`, `garbage`: it accepts
 * the order and then closes the connection, never answers, answers HTTP 500, or sends a malformed answer. `empty`,
 * `half`: it accepts the order and answers HTTP 200 without a body, or with half of it. `unavailable`: it rejects the
 * order with HTTP 503.
 */
type AnswerFault = 'cut' | 'held' | 'error' | 'garbage' | 'empty' | 'half' | 'unavailable'

/** Callback faults for the next payment that is paid, or for the next payout. */
interface CallbackFaults {
  /** additional copies of each callback */
  duplicate?: number
  /** send callbacks in reverse order */
  reorder?: boolean
  drop?: boolean
  badSignature?: boolean
  delayMs?: number
}

/** An acquirer's emulator that the suite controls, and the adapter under test that calls it over HTTP. */
export interface AcquirerWorld {
  /** times out soon after the acquirer accepted an order that it holds (`answer: 'held'`), and in no other case */
  acquirer: Acquirer
  /** the same account with an acquirer whose host refuses connections */
  unreachable: Acquirer
  /** keys and passwords of the account, which must not appear in any error or result */
  secrets: readonly string[]
  /** URL that receives callbacks and answers them with the adapter's acknowledgement, or with 400 */
  callbackUrl: string
  /**
   * Callbacks received for a payment or payout, in order of arrival, once there are at least `least`. Throws on
   * timeout.
   */
  callbacks(reference: string, least: number): Promise<RawCallback[]>
  /** Forged variants of a callback: changed in each signed field, and signed with another key. */
  forge(callback: RawCallback): { what: string; callback: RawCallback }[]
  /**
   * Variants of a callback without one of its fields, signed by the acquirer. Absent when its callbacks have no
   * optional fields.
   */
  without?(callback: RawCallback): { field: string; callback: RawCallback }[]
  /** Refunds a part of a payment in the acquirer's own dashboard. Absent when it has none. */
  giveBackOutside?(reference: string, units: bigint): Promise<void>
  /** Sets faults for the next order of the account only. */
  next(
    faults: {
      outcome?: Outcome
      answer?: AnswerFault
      answerCode?: string
      refund?: 'pending' | 'late' | 'failed'
    } & CallbackFaults,
  ): Promise<void>
  /** Completes accepted refunds of a payment that are still pending (`refund: 'pending'`). */
  endRefunds(reference: string): Promise<void>
  /**
   * Plays the payer: opens the page, enters the card number, passes 3-D Secure where required, and pays. After a
   * refusal it enters the next card, where the page accepts another one.
   */
  pay(page: PaymentPage, ...cards: string[]): Promise<void>
  /** Card numbers that the emulator knows, 16 digits each. `secure` requires 3-D Secure. */
  cards: { good: string; secure: string; refused: string; payout: string; payoutRefused: string }
  /** Amounts sent to a card under this reference by the acquirer's own records: one entry per transfer, minor units. */
  sentToCard(reference: string): Promise<bigint[]>
}

/** Traits of an acquirer that must be tested, so that no adapter passes by omission. */
export interface AcquirerTraits {
  payIn: readonly CardTicker[]
  payout: readonly CardTicker[]
  refund: boolean
  /** true: the account refunds whole payments only */
  refundsWholeOnly?: boolean
  statement: boolean
  /** Error codes that may answer an order that was accepted. Absent when the acquirer has no error codes of its own. */
  ambiguousCodes?: readonly string[]
  /** Error codes that refuse a refund, but may also answer one that succeeded. */
  refundRefusals?: readonly string[]
  /** possible outcomes of an accepted refund: `late` becomes visible after a while, `failed` returns no money */
  refundFaults?: readonly ('late' | 'failed')[]
  /** true: a refusal by the acquirer's own limits is no proof, because none of its codes proves a refusal */
  refusesUnproven?: boolean
  /** false: the hosted page is a form that is signed here, so that making a payment needs no request */
  paymentIsOrdered: boolean
}

/** Returns the world after the suite has started it. */
export type WorldOf = () => AcquirerWorld

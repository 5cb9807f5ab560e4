import type { Acquirer, CardTicker, PaymentPage, RawCallback } from '../port.ts'

/** What becomes of the next payment that is paid, or of the next payout. */
type Outcome = 'success' | 'refused' | 'stuck' | 'reversed' | 'wrong-amount'

/**
 * How the acquirer answers the next order (a payment, payout or refund). `cut`, `held`, `error`, `garbage`: it takes
 * the order and then closes the connection, never answers, answers HTTP 500, answers something else. `empty`, `half`:
 * it takes the order and answers HTTP 200 without a body, or with half of it. `unavailable`: it does not take it and
 * answers HTTP 503.
 */
type AnswerFault = 'cut' | 'held' | 'error' | 'garbage' | 'empty' | 'half' | 'unavailable'

/** How the acquirer tells us of the next payment that is paid, or of the next payout. */
interface CallbackFaults {
  /** more copies of each */
  duplicate?: number
  /** the last first */
  reorder?: boolean
  drop?: boolean
  badSignature?: boolean
  delayMs?: number
}

/** An acquirer's emulator that the suite moves, and the adapter under test that talks to it over HTTP. */
export interface AcquirerWorld {
  /** gives up on an order that the acquirer holds (`answer: 'held'`) soon after it was taken, and on nothing else */
  acquirer: Acquirer
  /** the same account with an acquirer whose host refuses connections */
  unreachable: Acquirer
  /** keys and passwords of the account, which may appear in no error and no result */
  secrets: readonly string[]
  /** a place that takes callbacks and acknowledges them by what the adapter says, or by 400 */
  callbackUrl: string
  /**
   * What arrived there of a payment or payout, in that order, once there are so many. Throws when there aren't in time.
   */
  callbacks(reference: string, least: number): Promise<RawCallback[]>
  /**
   * The same callback as it must not be believed: changed in each field that is signed, and signed by another party.
   */
  forge(callback: RawCallback): { what: string; callback: RawCallback }[]
  /**
   * The same callback without one of its fields, signed by the acquirer. Absent: its callbacks have no fields to leave
   * out.
   */
  without?(callback: RawCallback): { field: string; callback: RawCallback }[]
  /** A person gives a part of a payment back in the acquirer's own cabinet. Absent: it has none. */
  giveBackOutside?(reference: string, units: bigint): Promise<void>
  /** Applies to the next order of the account, and to nothing after it. */
  next(
    faults: {
      outcome?: Outcome
      answer?: AnswerFault
      answerCode?: string
      refund?: 'pending' | 'late' | 'failed'
    } & CallbackFaults,
  ): Promise<void>
  /** Ends the refunds of a payment that the acquirer took up and did not end (`refund: 'pending'`). */
  endRefunds(reference: string): Promise<void>
  /**
   * The payer goes to the page, types the card number, with its 3-D Secure where it has that, and pays; after a refusal
   * the next one, where the page takes others.
   */
  pay(page: PaymentPage, ...cards: string[]): Promise<void>
  /** Card numbers the emulator knows, 16 digits each. `secure` asks for 3-D Secure. */
  cards: { good: string; secure: string; refused: string; payout: string; payoutRefused: string }
  /**
   * What the acquirer's own books say a card was sent under this reference: one entry for each sending, minor units.
   */
  sentToCard(reference: string): Promise<bigint[]>
}

/** What an adapter's acquirer can be tried for, so that none passes by leaving something out. */
export interface AcquirerTraits {
  payIn: readonly CardTicker[]
  payout: readonly CardTicker[]
  refund: boolean
  /** true: an account that gives back whole payments only */
  refundsWholeOnly?: boolean
  statement: boolean
  /**
   * Error codes that may answer an order which was taken. Absent: the acquirer answers orders with no codes of its own.
   */
  ambiguousCodes?: readonly string[]
  /** Error codes that refuse a refund, and may answer one that was made all the same. */
  refundRefusals?: readonly string[]
  /** what may become of a refund that the acquirer took up: `late` shows after a while, `failed` gives nothing back */
  refundFaults?: readonly ('late' | 'failed')[]
  /** true: what the acquirer refuses by its own limits is not known to be refused, as none of its codes proves it */
  refusesUnproven?: boolean
  /** false: the hosted page is a form that is signed here, so that making a payment needs no request */
  paymentIsOrdered: boolean
}

/** Where a world is found once the suite has started it. */
export type WorldOf = () => AcquirerWorld

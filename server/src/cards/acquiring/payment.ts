import type { CardTicker, PaymentPage } from '../../adapters/acquirers/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import type { PaymentState } from './machine.ts'

type PageLanguage = 'uk' | 'kk' | 'ru' | 'en'

/** An order of a payment, before an acquirer is chosen. `units` are minor units (1/100). */
export interface PaymentOrder {
  merchantId: string
  invoiceId: string
  ticker: CardTicker
  units: bigint
  description: string
  email: string | null
  language: PageLanguage
  returnUrl: string
  expiresAt: Date
}

/** An order to one acquirer. Units are minor units. */
export interface Payment extends PaymentOrder {
  /** our reference with the acquirer */
  id: string
  acquirer: string
  tried: string[]
  state: PaymentState
  page: Omit<PaymentPage, 'acquirerReference'> | null
  acquirerReference: string | null
  paidTicker: string | null
  paidUnits: bigint | null
  costUnits: bigint
  fee: bigint
  maskedCard: string | null
  refusalCode: string | null
  refusalMessage: string | null
  suspendedFor: SuspendedFor | null
  refundedUnits: bigint
  /** when the acquirer called with a contradiction of this state that is not confirmed yet */
  calledAt: Date | null
  /** until then the acquirer is queried daily, in case a refund that ended as not made has moved money after all */
  watchedUntil: Date | null
  /** the hold of a disputed payment's money, and the amount that it holds */
  disputeHoldId: string | null
  disputeUnits: bigint | null
  asked: number
  epoch: number
  createdAt: Date
}

/**
 * Why a payment is in suspense: it differs from the order, the invoice was already paid, or the invoice had already
 * failed.
 */
export type SuspendedFor = 'amount-differs' | 'paid-before' | 'came-late'

/** The receiver of a payment's money. `fee` is the platform's, in minor units, at most the amount paid. */
export type Attribution =
  | { kind: 'credit'; fee: bigint; effects: Effects }
  | { kind: 'suspend'; why: Exclude<SuspendedFor, 'amount-differs'>; effects: Effects }

/**
 * Implemented by the module whose invoices are paid. Called in the transaction of the change, with the payment's row
 * locked.
 */
export interface PaymentSubscriber {
  /** The acquirer has confirmed exactly the ordered amount. The subscriber's own rows decide who gets the money. */
  paid(tx: Tx, payment: Payment, moment: Moment): Promise<Attribution>
  /** A callback says paid; the acquirer is queried before anything is posted. */
  reported(tx: Tx, payment: Payment, moment: Moment): Promise<Effects>
  /**
   * The payment is refused, expired, accepted by no acquirer, or in suspense with another amount: it pays no invoice.
   */
  ended(tx: Tx, payment: Payment, moment: Moment): Promise<Effects>
  /** The page exists, or it is unknown whether it will exist: the payer's view changes. */
  changed(tx: Tx, payment: Payment, moment: Moment): Promise<Effects>
  /** The acquirer has returned money of a payment, in minor units of the amount paid. */
  refunded(tx: Tx, payment: Payment, refund: { id: string; units: bigint }, moment: Moment): Promise<Effects>
  /**
   * The amount of a credited payment that the merchant can spend at once, in minor units: less our fee, the repaid debt
   * and the held part.
   */
  credited(tx: Tx, payment: Payment, units: bigint, moment: Moment): Promise<Effects>
  /** A held part of a payment, in minor units, is available from now on. */
  released(tx: Tx, payment: Payment, hold: { id: string; units: bigint }, moment: Moment): Promise<Effects>
  /** The fee to charge for a suspended payment that the operator credits to the merchant. */
  feeOf(payment: Payment): bigint
}

/** Money of a card payment that its merchant can't spend yet. Units are minor units. */
export interface CardHold {
  merchantId: string
  /** of the ledger's hold */
  id: string
  paymentId: string
  ticker: string
  units: bigint
  kind: 'time' | 'reserve'
  releaseAt: Date
}

import type { CardTicker, PaymentPage } from '../../adapters/acquirers/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import type { PaymentState } from './machine.ts'

type PageLanguage = 'uk' | 'kk' | 'ru' | 'en'

/** What is to be paid, before an acquirer is chosen. `units` are minor units of the currency, 1/100. */
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

/** One order with one acquirer. Units are minor units. */
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
  /** when the acquirer called to say something else than this state, unconfirmed since */
  calledAt: Date | null
  /**
   * until then the acquirer is asked each day whether money went back that a refund which ended otherwise may have
   * moved
   */
  watchedUntil: Date | null
  /** the hold of a disputed payment's money, and how much of it was there to be held */
  disputeHoldId: string | null
  disputeUnits: bigint | null
  asked: number
  epoch: number
  createdAt: Date
}

/** Not what was ordered; the invoice was paid before; the invoice had failed before. */
export type SuspendedFor = 'amount-differs' | 'paid-before' | 'came-late'

/** Whose the money of a payment is. `fee` is ours, minor units, at most what was paid. */
export type Attribution =
  | { kind: 'credit'; fee: bigint; effects: Effects }
  | { kind: 'suspend'; why: Exclude<SuspendedFor, 'amount-differs'>; effects: Effects }

/** The module whose invoices are paid: called in the transaction of the change, with the payment's row locked. */
export interface PaymentSubscriber {
  /** The acquirer has confirmed exactly what was ordered. The listener's own rows say whose the money is. */
  paid(tx: Tx, payment: Payment, moment: Moment): Promise<Attribution>
  /** The acquirer says paid, and is asked again before anything is booked. */
  reported(tx: Tx, payment: Payment, moment: Moment): Promise<Effects>
  /** Refused, expired, taken by no acquirer, or in suspense as another amount: this order pays no invoice. */
  ended(tx: Tx, payment: Payment, moment: Moment): Promise<Effects>
  /** Its page is there, or it is not known whether it will be: the payer sees something else from now on. */
  changed(tx: Tx, payment: Payment, moment: Moment): Promise<Effects>
  /** The acquirer has given money of a payment back; minor units of what was paid. */
  refunded(tx: Tx, payment: Payment, refund: { id: string; units: bigint }, moment: Moment): Promise<Effects>
  /**
   * Of a payment that is credited, so much is the merchant's to spend at once, minor units: less our fee, what it owed
   * and what is held.
   */
  credited(tx: Tx, payment: Payment, units: bigint, moment: Moment): Promise<Effects>
  /** A part of a payment that was held, minor units, is available from now on. */
  released(tx: Tx, payment: Payment, hold: { id: string; units: bigint }, moment: Moment): Promise<Effects>
  /** What should be charged for a suspended payment that the operator gives to the merchant. */
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

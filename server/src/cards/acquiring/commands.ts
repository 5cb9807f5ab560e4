import type { PaymentPage } from '../../adapters/acquirers/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { moveOf } from '../../platform/base/moves.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { paymentMoves } from './machine.ts'
import type { Payment, PaymentSubscriber, PaymentOrder } from './payment.ts'
import { routeOf, type Failing, type RoutingTable } from './routing.ts'
import { firstAsk } from './schedule.ts'
import { insertPayment, lockPayment, movePayment, type Learned } from './store.ts'

/** Whom orders can be given to, and who is not doing well. */
export interface Routing {
  table: RoutingTable
  failing: Failing
}

/**
 * Plans a payment with the first acquirer of the route that was not tried. A worker gives it the order.
 * @returns undefined when no acquirer takes such an order, or all have been tried
 */
export const planPayment = async (
  tx: Tx,
  order: PaymentOrder,
  { table, failing }: Routing,
  moment: Moment,
  tried: readonly string[] = [],
): Promise<Payment | undefined> => {
  const route = routeOf(table, { direction: 'payIn', ticker: order.ticker, units: order.units }, failing)
  const acquirer = route.find((name) => !tried.includes(name))
  if (acquirer === undefined) return undefined
  const { merchantId, invoiceId, ticker, units, description, email, language, returnUrl, expiresAt } = order
  const payment: Payment = {
    merchantId,
    invoiceId,
    ticker,
    units,
    description,
    email,
    language,
    returnUrl,
    expiresAt,
    id: moment.newId(),
    acquirer,
    tried: [...tried],
    state: 'planned',
    page: null,
    acquirerReference: null,
    paidTicker: null,
    paidUnits: null,
    costUnits: 0n,
    fee: 0n,
    maskedCard: null,
    refusalCode: null,
    refusalMessage: null,
    suspendedFor: null,
    refundedUnits: 0n,
    calledAt: null,
    watchedUntil: null,
    disputeHoldId: null,
    disputeUnits: null,
    asked: 0,
    epoch: 0,
    createdAt: moment.at,
  }
  await insertPayment(tx, payment)
  return payment
}

/** From now on the acquirer may have the order. @returns undefined when another worker was faster */
export const recordAsked = async (tx: Tx, payment: Payment, until: Date, at: Date): Promise<Payment | undefined> =>
  movePayment(tx, payment, 'asked', {}, { at, next: until })

/** The acquirer's page is there: the payer can be sent on. */
export const recordMade = async (
  tx: Tx,
  id: string,
  page: PaymentPage,
  subscriber: PaymentSubscriber,
  moment: Moment,
): Promise<Effects> => {
  const payment = await lockPayment(tx, id)
  if (!payment) return noEffects
  const { method, url, fields, acquirerReference } = page
  const when = { at: moment.at, next: firstAsk(moment.at) }
  const made = await movePayment(tx, payment, 'made', { page: { method, url, fields }, acquirerReference }, when)
  if (!made) return noEffects
  await resolveAlert(tx, 'payment-not-taken', made.ticker, moment.at)
  return subscriber.changed(tx, made, moment)
}

/**
 * The order may have reached the acquirer, and its page reached no payer: it is asked about from now on, and the next
 * acquirer of the route gets an order of its own. Money that comes for both is seen (decision 0024).
 */
export const recordUnanswered = async (
  tx: Tx,
  id: string,
  routing: Routing,
  subscriber: PaymentSubscriber,
  moment: Moment,
): Promise<{ payment: Payment; effects: Effects } | undefined> => {
  const { at } = moment
  const before = await lockPayment(tx, id)
  const payment = before && (await movePayment(tx, before, 'unanswered', {}, { at, next: at }))
  if (!payment) return undefined
  const next = await passOn(tx, payment, 'nothing that could be understood', routing, moment)
  return { payment, effects: next ? noEffects : await subscriber.changed(tx, payment, moment) }
}

/**
 * Proven that this acquirer has not taken the order: the next one of the route gets it under a reference of its own.
 * When there is none, the payment has ended without money.
 */
export const recordNotTaken = async (
  tx: Tx,
  id: string,
  why: Required<Pick<Learned, 'refusalCode' | 'refusalMessage'>>,
  routing: Routing,
  subscriber: PaymentSubscriber,
  moment: Moment,
): Promise<Effects> => {
  const payment = await lockPayment(tx, id)
  const moved = payment && (await movePayment(tx, payment, 'notTaken', why, { at: moment.at, next: null }))
  if (!moved) return noEffects
  const mayPassOn = moveOf(paymentMoves, payment.state, 'notTaken')?.effects.includes('failOver') === true
  const next = mayPassOn ? await passOn(tx, moved, why.refusalMessage, routing, moment) : undefined
  return next ? noEffects : subscriber.ended(tx, moved, moment)
}

/** Gives the next acquirer of the route an order of its own. @returns undefined when there is none, which alerts */
const passOn = async (
  tx: Tx,
  payment: Payment,
  said: string,
  routing: Routing,
  moment: Moment,
): Promise<Payment | undefined> => {
  const { ticker, acquirer, tried } = payment
  const next = await planPayment(tx, payment, routing, moment, [...tried, acquirer])
  if (next) return next
  const text = `No acquirer took an order of ${ticker}: the last was ${acquirer}, which said ${said}. Check the acquirers' accounts`
  await raiseOrRenewAlert(tx, { kind: 'payment-not-taken', subject: ticker, text }, moment)
  return undefined
}

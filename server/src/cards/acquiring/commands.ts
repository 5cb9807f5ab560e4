import type { PaymentPage } from '../../adapters/acquirers/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { moveOf } from '../../platform/base/moves.ts'
import { makesWork, type Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { paymentMoves } from './machine.ts'
import type { Payment, PaymentSubscriber, PaymentOrder } from './payment.ts'
import { routeOf, type Failing, type RoutingTable } from './routing.ts'
import { firstAsk } from './schedule.ts'
import { insertPayment, lockPayment, movePayment, type Learned } from './store.ts'

/** The acquirers that orders can go to, and those that are failing. */
export interface Routing {
  table: RoutingTable
  failing: Failing
}

/**
 * Plans a payment with the first acquirer of the route that has not been tried. A worker sends it the order.
 * @returns undefined when no acquirer accepts such an order, or all have been tried
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
  makesWork(tx)
  return payment
}

/**
 * Records that the order is about to be sent: from now on the acquirer may have it.
 * @returns undefined when another worker was faster
 */
export const recordAsked = async (tx: Tx, payment: Payment, until: Date, at: Date): Promise<Payment | undefined> =>
  movePayment(tx, payment, 'asked', {}, { at, next: until })

/** Records that the acquirer's page exists, so that the payer can be sent to it. */
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
 * Records that the order may have reached the acquirer, but no payer has seen its page. The acquirer is queried about
 * it from now on, and the next acquirer of the route gets an order of its own. If both are paid, both payments are
 * recorded (decision 0024).
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
 * Records that this acquirer is proven not to have the order. The next acquirer of the route gets an order with its own
 * reference; when there is none, the payment ends without money.
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

/** Plans an order with the next acquirer of the route. @returns undefined when there is none, which raises an alert */
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
  const text = `No acquirer accepted an order of ${ticker}: the last was ${acquirer}, which answered ${said}. Check the acquirers' accounts`
  await raiseOrRenewAlert(tx, { kind: 'payment-not-taken', subject: ticker, text }, moment)
  return undefined
}

import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { carryOut, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { postForeignRefund } from './foreign-refunds.ts'
import { holdAgain } from './holding.ts'
import type { Payment } from './payment.ts'
import { holdDisputedItem, releaseDisputedItem } from './postings.ts'
import { hasOpenRefund } from './refund-store.ts'
import { nextWatch } from './schedule.ts'
import { askAgainAt, lockPayment, movePayment } from './store.ts'
import { availableFor, takeBack } from './taking-back.ts'

/** Whether a payment's money is posted, so that it can be returned. */
export const isPosted = ({ state }: Pick<Payment, 'state'>): boolean =>
  state === 'credited' || state === 'suspended' || state === 'disputed'

/** When a payment is queried next: if nothing changes, and if something does. */
interface Next {
  again: Date | null
  afterMove: Date | null
}

const OPEN_REFUND_MS = 60_000

/**
 * Handles an acquirer's report of how much of a posted payment was returned in total. The amount beyond our own refunds
 * is taken from the balance that the payment was credited to: a part is posted as a refund made without us, the whole
 * as a chargeback. When the sum is unknown, nothing is taken, and the money is held until an operator or a statement
 * gives the sum. The caller has locked the payment's row.
 * @param backUnits minor units; undefined: money was returned, and the acquirer does not say how much
 */
export const heedBack = async (
  tx: Tx,
  payment: Payment,
  backUnits: bigint | undefined,
  { again, afterMove }: Next,
  moment: Moment,
): Promise<Effects> => {
  const left = payment.paidUnits! - payment.refundedUnits
  const more = backUnits === undefined ? undefined : backUnits - payment.refundedUnits
  if (left === 0n || (more !== undefined && more <= 0n)) {
    await askAgainAt(tx, payment, again)
    return noEffects
  }
  // An unfinished refund of our own looks the same in this answer, so wait until it has ended.
  if (await hasOpenRefund(tx, payment)) {
    await askAgainAt(tx, payment, new Date(moment.at.getTime() + OPEN_REFUND_MS))
    return noEffects
  }
  await resolveAlert(tx, 'payment-unconfirmed', payment.id, moment.at)
  if (more === undefined) return dispute(tx, payment, left, { again, afterMove }, moment)
  const next = afterMove ?? (more < left ? nextWatch(payment, moment.at) : null)
  return goneBack(
    tx,
    payment,
    more,
    { reason: `${payment.acquirer} says so when asked`, actor: payment.acquirer },
    next,
    moment,
  )
}

/** Posts that `units` more were returned than are posted. The hold of a dispute is released for it. */
const goneBack = async (
  tx: Tx,
  disputed: Payment,
  units: bigint,
  known: { reason: string; actor: string },
  next: Date | null,
  moment: Moment,
): Promise<Effects> => {
  const isWhole = units >= disputed.paidUnits! - disputed.refundedUnits
  const payment = await endDispute(tx, disputed, moment)
  if (isWhole) return takeBack(tx, payment, next, moment)
  const effects = await postForeignRefund(tx, payment, { units, ...known }, moment)
  await askAgainAt(tx, payment, next, true)
  return effects
}

/**
 * Holds as much of a payment's money as is available. For money in suspense an alert is enough, because it can't be
 * spent.
 */
const dispute = async (
  tx: Tx,
  payment: Payment,
  left: bigint,
  { again, afterMove }: Next,
  moment: Moment,
): Promise<Effects> => {
  const { id, merchantId, acquirer, paidTicker } = payment
  const text = `${acquirer} reports that money of payment ${id} of merchant ${merchantId} was refunded, but not the amount: at most ${left} minor units of ${paidTicker}. They are held. Look in its console, then run bursar payment went-back ${id} AMOUNT REASON, with the amount 0 if nothing was refunded`
  await raiseAlert(tx, { kind: 'payment-disputed', subject: id, text, detail: { units: `${left}` } }, moment)
  if (payment.state !== 'credited') {
    await askAgainAt(tx, payment, again)
    return noEffects
  }
  // Our fee would be returned too, and it is not on the merchant's balance.
  const net = left > payment.fee ? left - payment.fee : 0n
  const holdId = moment.newId()
  const merchant = await availableFor(tx, payment, 'merchant', net, moment, holdId)
  const units = merchant < net ? (merchant < 0n ? 0n : merchant) : net
  const held = await movePayment(
    tx,
    payment,
    'disputed',
    { disputeHoldId: holdId, disputeUnits: units },
    { at: moment.at, next: afterMove },
  )
  return held && units > 0n ? { items: [holdDisputedItem(held, moment.at)], notices: [] } : noEffects
}

/**
 * Ends the dispute of a payment, if it has one: the payment is credited again, and its money is held or available as
 * before.
 */
const endDispute = async (tx: Tx, payment: Payment, moment: Moment): Promise<Payment> => {
  await resolveAlert(tx, 'payment-disputed', payment.id, moment.at)
  if (payment.state !== 'disputed') return payment
  const moved = await movePayment(tx, payment, 'disputeEnded', {}, { at: moment.at, next: null })
  if (!moved) throw new Error(`payment ${payment.id} has changed: try again`)
  if (payment.disputeUnits! > 0n) {
    const again = await holdAgain(tx, payment.merchantId, payment.disputeHoldId!, moment)
    await carryOut(tx, { items: [releaseDisputedItem(payment, moment), ...again], notices: [] }, moment)
  }
  return { ...moved, epoch: payment.epoch }
}

/**
 * Records how much of a payment was returned when its acquirer gave no sum. An operator or a statement gives it. Throws
 * an Error that says why this is impossible.
 * @param units minor units, without our own refunds; 0: nothing was returned
 */
export const resolveDispute = async (
  tx: Tx,
  id: string,
  units: bigint,
  by: string,
  moment: Moment,
): Promise<Effects> => {
  const payment = await lockPayment(tx, id)
  if (!payment) throw new Error(`there is no payment ${id}`)
  if (!isPosted(payment))
    throw new Error(`payment ${id} is ${payment.state}: only money that was posted can be returned`)
  if (await hasOpenRefund(tx, payment)) throw new Error(`a refund of payment ${id} has not ended: wait for it`)
  const left = payment.paidUnits! - payment.refundedUnits
  if (units < 0n || units > left)
    throw new Error(`of payment ${id} ${left} minor units of ${payment.paidTicker} are left`)
  if (units > 0n) return goneBack(tx, payment, units, { reason: by, actor: 'operator' }, null, moment)
  await endDispute(tx, payment, moment)
  return noEffects
}

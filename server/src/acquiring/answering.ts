import type { AcquirerState } from '../adapters/acquirers/port.ts'
import type { Moment } from '../base/moment.ts'
import { moveOf } from '../base/moves.ts'
import type { Tx } from '../db/index.ts'
import { noEffects, type Effects } from '../effects/index.ts'
import { raiseAlert, resolveAlert } from '../platform/alerts.ts'
import { book, bookCost } from './booking.ts'
import { paymentMoves } from './machine.ts'
import type { Payment, PaymentListener } from './payment.ts'
import { hasOpenRefund } from './refund-store.ts'
import { isOver, nextAsk } from './schedule.ts'
import { takeBack } from './taking-back.ts'
import { askAgainAt, lockPayment, movePayment } from './store.ts'

type Paid = Extract<AcquirerState, { kind: 'succeeded' | 'reversed' }>
type Refused = Extract<AcquirerState, { kind: 'refused' }>

/**
 * What the acquirer's own answer to being asked changes. Whatever came before it, in whatever order, money that is there is
 * booked once, and money that was taken back is taken back once.
 * @param epoch of the claim under which it was asked: when the acquirer has called meanwhile, it is asked again
 */
export const heedAnswer = async (
  tx: Tx,
  { id, epoch }: Pick<Payment, 'id' | 'epoch'>,
  answer: AcquirerState,
  listener: PaymentListener,
  moment: Moment,
): Promise<Effects> => {
  const payment = await lockPayment(tx, id)
  if (!payment) throw new Error(`there is no payment ${id}`)
  const after = (next: Date | null): Date | null => (payment.epoch === epoch ? next : moment.at)
  switch (answer.kind) {
    case 'succeeded':
      return succeeded(tx, payment, answer, listener, after(null), moment)
    case 'reversed':
      return reversed(tx, { ...payment, epoch }, answer, listener, after(null), moment)
    case 'refused':
      return refused(tx, payment, answer, listener, after(null), moment)
    default:
      return notEnded(tx, { ...payment, epoch }, listener, moment)
  }
}

const succeeded = async (
  tx: Tx,
  payment: Payment,
  answer: Paid,
  listener: PaymentListener,
  next: Date | null,
  moment: Moment,
): Promise<Effects> => {
  await resolveAlert(tx, 'payment-unconfirmed', payment.id, moment.at)
  if (moveOf(paymentMoves, payment.state, 'suspended')) return book(tx, payment, answer, listener, next, moment)
  await askAgainAt(tx, payment, next)
  if (payment.state !== 'credited' && payment.state !== 'suspended') return noEffects
  if (answer.units !== payment.paidUnits || answer.ticker !== payment.paidTicker) {
    await alertContradiction(tx, payment, `it now says ${answer.units} minor units of ${answer.ticker}`, moment)
  }
  return answer.feeUnits === undefined ? noEffects : bookCost(tx, payment, answer.feeUnits, moment)
}

const reversed = async (
  tx: Tx,
  payment: Payment,
  answer: Paid,
  listener: PaymentListener,
  next: Date | null,
  moment: Moment,
): Promise<Effects> => {
  if (payment.state !== 'credited' && payment.state !== 'suspended') {
    const { acquirerReference, maskedCard } = answer
    return moveAndTell(tx, payment, 'reversed', { acquirerReference, maskedCard }, listener, next, moment)
  }
  // What we gave back ourselves looks the same: it is known only once the refund has ended.
  if (await hasOpenRefund(tx, payment)) {
    await askAgainAt(tx, payment, new Date(moment.at.getTime() + 60_000))
    return noEffects
  }
  if (payment.refundedUnits === payment.paidUnits) {
    await askAgainAt(tx, payment, next)
    return noEffects
  }
  return takeBack(tx, payment, next, moment)
}

const refused = async (
  tx: Tx,
  payment: Payment,
  { code, message, acquirerReference, maskedCard }: Refused,
  listener: PaymentListener,
  next: Date | null,
  moment: Moment,
): Promise<Effects> => {
  if (payment.state === 'credited' || payment.state === 'suspended') {
    await alertContradiction(tx, payment, `it now says refused (${code}: ${message})`, moment)
    await askAgainAt(tx, payment, next)
    return noEffects
  }
  return moveAndTell(tx, payment, 'refused', { refusalCode: code, refusalMessage: message, acquirerReference, maskedCard }, listener, next, moment)
}

/** Waiting or unknown concludes nothing about money; it only says when nobody can be paying any more. */
const notEnded = async (tx: Tx, payment: Payment, listener: PaymentListener, moment: Moment): Promise<Effects> => {
  if (isOver(payment, moment.at)) {
    if (payment.state === 'reported') {
      const text = `${payment.acquirer} called to say that payment ${payment.id} is paid, and does not confirm it when asked: ask the acquirer`
      await raiseAlert(tx, { kind: 'payment-unconfirmed', subject: payment.id, text }, moment)
    } else if (moveOf(paymentMoves, payment.state, 'expired')) {
      return moveAndTell(tx, payment, 'expired', {}, listener, nextAsk({ ...payment, state: 'expired' }, moment.at), moment)
    }
  }
  const isEnded = ['credited', 'suspended', 'refused', 'not-taken', 'reversed'].includes(payment.state)
  await askAgainAt(tx, payment, isEnded ? null : nextAsk(payment, moment.at))
  return noEffects
}

const moveAndTell = async (
  tx: Tx,
  payment: Payment,
  event: 'refused' | 'expired' | 'reversed',
  learned: Parameters<typeof movePayment>[3],
  listener: PaymentListener,
  next: Date | null,
  moment: Moment,
): Promise<Effects> => {
  const move = moveOf(paymentMoves, payment.state, event)
  const moved = move && (await movePayment(tx, payment, event, learned, { at: moment.at, next }))
  if (!moved) {
    await askAgainAt(tx, payment, next)
    return noEffects
  }
  return move.effects.includes('tellEnded') ? listener.ended(tx, moved, moment) : noEffects
}

const alertContradiction = async (tx: Tx, payment: Payment, says: string, moment: Moment): Promise<void> => {
  const text = `${payment.acquirer} confirmed payment ${payment.id} of merchant ${payment.merchantId} with ${payment.paidUnits} minor units of ${payment.paidTicker}, which is booked; ${says}. Nothing was changed: ask the acquirer`
  await raiseAlert(tx, { kind: 'payment-contradicted', subject: payment.id, text }, moment)
}

import type { AcquirerState } from '../../adapters/acquirers/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { moveOf } from '../../platform/base/moves.ts'
import type { Tx } from '../../platform/db/index.ts'
import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { book, bookCost } from './booking.ts'
import { paymentMoves } from './machine.ts'
import { heedBack, isPosted } from './going-back.ts'
import type { Payment, PaymentSubscriber } from './payment.ts'
import { isGivenUp, isOver, nextAsk } from './schedule.ts'
import { askAgainAt, lockPayment, movePayment } from './store.ts'

type Paid = Extract<AcquirerState, { kind: 'succeeded' | 'reversed' }>
type Refused = Extract<AcquirerState, { kind: 'refused' }>
type Unclear = Extract<AcquirerState, { kind: 'waiting' | 'unknown' }>

/** The subscriber, and how the acquirer that was queried treats a refusal. */
export interface Answering {
  subscriber: PaymentSubscriber
  /** its page accepts another card after a refusal */
  takesOtherCards: boolean
}

interface Taking extends Answering {
  moment: Moment
  /** when the payment is queried next if the answer changes nothing */
  again: Date | null
  /** when it is queried next if the answer changes it, because the acquirer may have called meanwhile */
  afterMove: Date | null
}

/**
 * Applies the acquirer's answer to a query. After any reports, in any order, money that arrived is posted
 * once and money that was taken back is reversed once.
 * @param epoch of the claim under which the query was made: if the acquirer has called since, it is queried again
 */
export const heedAnswer = async (
  tx: Tx,
  { id, epoch }: Pick<Payment, 'id' | 'epoch'>,
  answer: AcquirerState,
  answering: Answering,
  moment: Moment,
): Promise<Effects> => {
  const locked = await lockPayment(tx, id)
  if (!locked) throw new Error(`there is no payment ${id}`)
  const payment = { ...locked, epoch }
  const { at } = moment
  const taking: Taking = {
    ...answering,
    moment,
    again: nextAsk(payment, at, answering.takesOtherCards),
    afterMove: locked.epoch === epoch ? null : at,
  }
  if (isGivenUp(payment, at)) await alertUnconfirmed(tx, payment, moment)
  switch (answer.kind) {
    case 'succeeded':
      return succeeded(tx, payment, answer, taking)
    case 'reversed':
      return reversed(tx, payment, answer, taking)
    case 'refused':
      return refused(tx, payment, answer, taking)
    default:
      return notEnded(tx, payment, answer, taking)
  }
}

const succeeded = async (
  tx: Tx,
  payment: Payment,
  answer: Paid,
  { subscriber, again, afterMove, moment }: Taking,
): Promise<Effects> => {
  if (moveOf(paymentMoves, payment.state, 'suspended')) {
    await resolveAlert(tx, 'payment-unconfirmed', payment.id, moment.at)
    // Money that was already returned is handled by the next query, when the payment is posted.
    return book(tx, payment, answer, subscriber, (answer.backUnits ?? 0n) > 0n ? moment.at : afterMove, moment)
  }
  if (!isPosted(payment)) {
    // Money arrived again after it was returned, for example after a dispute that was won, or it was returned before it
    // was posted.
    const hasAgain = payment.state === 'reversed' && afterMove === null && (answer.backUnits ?? 0n) < answer.units
    if (hasAgain)
      await alertContradiction(
        tx,
        payment,
        `it now says that it has ${answer.units} minor units of ${answer.ticker} again`,
        moment,
      )
    await askAgainAt(tx, payment, hasAgain ? null : again, hasAgain)
    return noEffects
  }
  if (answer.units !== payment.paidUnits || answer.ticker !== payment.paidTicker) {
    await alertContradiction(tx, payment, `it now says ${answer.units} minor units of ${answer.ticker}`, moment)
  }
  const cost = answer.feeUnits === undefined ? noEffects : await bookCost(tx, payment, answer.feeUnits, moment)
  return joinEffects([cost, await heedBack(tx, payment, answer.backUnits ?? 0n, { again, afterMove }, moment)])
}

const reversed = async (tx: Tx, payment: Payment, answer: Paid, taking: Taking): Promise<Effects> => {
  if (isPosted(payment)) return heedBack(tx, payment, answer.backUnits, taking, taking.moment)
  const { acquirerReference, maskedCard } = answer
  if (answer.backUnits === undefined && payment.state !== 'reversed')
    await alertUnknownRest(tx, payment, answer, taking.moment)
  return moveAndNotify(tx, payment, 'reversed', { acquirerReference, maskedCard }, { next: taking.afterMove }, taking)
}

const refused = async (
  tx: Tx,
  payment: Payment,
  { code, message, acquirerReference, maskedCard }: Refused,
  taking: Taking,
): Promise<Effects> => {
  const { moment, takesOtherCards, afterMove } = taking
  if (isPosted(payment)) await alertContradiction(tx, payment, `it now says refused (${code}: ${message})`, moment)
  if (isPosted(payment) || payment.calledAt !== null) {
    await askAgainAt(tx, payment, taking.again)
    return noEffects
  }
  // The acquirer reported "paid" in a signed callback and now answers "refused": query it until both agree or an
  // operator has looked.
  const calledAt = payment.state === 'reported' ? moment.at : null
  const next = afterMove ?? nextAsk({ ...payment, state: 'refused', calledAt }, moment.at, takesOtherCards)
  return moveAndNotify(
    tx,
    payment,
    'refused',
    {
      refusalCode: code,
      refusalMessage: message,
      // The acquirer has called since the query, and its callback may name a newer number.
      acquirerReference: afterMove === null ? acquirerReference : undefined,
      maskedCard,
    },
    { next, calledAt },
    taking,
  )
}

/**
 * Handles an answer that the payment is waiting or unknown. It proves nothing about money; it only expires a payment
 * that no payer can be paying any more.
 */
const notEnded = async (tx: Tx, payment: Payment, answer: Unclear, taking: Taking): Promise<Effects> => {
  const { at } = taking.moment
  if (isOver(payment, at)) {
    if (answer.kind === 'unknown' && answer.isPaid === true) await alertUncalled(tx, payment, taking.moment)
    if (payment.state === 'reported') await alertUnconfirmed(tx, payment, taking.moment)
    else if (moveOf(paymentMoves, payment.state, 'expired')) {
      return moveAndNotify(
        tx,
        payment,
        'expired',
        {},
        { next: taking.afterMove ?? nextAsk({ ...payment, state: 'expired' }, at) },
        taking,
      )
    }
  }
  await askAgainAt(tx, payment, taking.again)
  return noEffects
}

const moveAndNotify = async (
  tx: Tx,
  payment: Payment,
  event: 'refused' | 'expired' | 'reversed',
  learned: Parameters<typeof movePayment>[3],
  { next, calledAt = null }: { next: Date | null; calledAt?: Date | null },
  { subscriber, again, moment }: Taking,
): Promise<Effects> => {
  const move = moveOf(paymentMoves, payment.state, event)
  const moved = move && (await movePayment(tx, payment, event, learned, { at: moment.at, next, calledAt }))
  if (!moved) {
    await askAgainAt(tx, payment, again)
    return noEffects
  }
  return move.effects.includes('notifyEnded') ? subscriber.ended(tx, moved, moment) : noEffects
}

const alertUnconfirmed = (tx: Tx, payment: Payment, moment: Moment): Promise<void> => {
  const text = `A callback of ${payment.acquirer} contradicts the state ${payment.state} of payment ${payment.id}, and the acquirer does not confirm it when queried: look in its console`
  return raiseAlert(tx, { kind: 'payment-unconfirmed', subject: payment.id, text }, moment)
}

/** The callback that names the payment has not come, and without it the payment is not found. */
const alertUncalled = async (tx: Tx, payment: Payment, moment: Moment): Promise<void> => {
  if (isPosted(payment) || payment.state === 'reversed') return
  const { id, acquirer, state } = payment
  const text = `${acquirer} shows a refund of payment ${id}, which is ${state} here, and its callback about the payment has not come: look in its console, and ask it to send the callback again`
  await raiseAlert(tx, { kind: 'payment-unconfirmed', subject: id, text }, moment)
}

/** A part may be left at the acquirer, which does not state how much it refunded of a payment that is not posted. */
const alertUnknownRest = async (tx: Tx, payment: Payment, { units, ticker }: Paid, moment: Moment): Promise<void> => {
  const { id, acquirer, merchantId } = payment
  const text = `${acquirer} reports that payment ${id} of merchant ${merchantId} was refunded before it was posted, but not the amount: at most ${units} minor units of ${ticker}. Nothing was posted. Look in its console: if a part is left, refund it there, or post it with bursar adjust`
  await raiseAlert(tx, { kind: 'payment-unconfirmed', subject: id, text }, moment)
}

const alertContradiction = async (tx: Tx, payment: Payment, says: string, moment: Moment): Promise<void> => {
  const { id, merchantId, acquirer, paidUnits, paidTicker, state } = payment
  const said = state === 'reversed' ? 'took back' : `confirmed, with ${paidUnits} minor units of ${paidTicker},`
  const books = paidUnits === null ? 'which was never posted' : 'which is posted'
  const text = `${acquirer} ${said} payment ${id} of merchant ${merchantId}, ${books}; ${says}. Nothing was changed: ask the acquirer`
  await raiseAlert(tx, { kind: 'payment-contradicted', subject: payment.id, text }, moment)
}

import type { PaymentState } from './machine.ts'
import type { Payment } from './payment.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const FIRST_MS = 15 * SECOND_MS
const LONGEST_MS = HOUR_MS
/** How long after the page's end a payer may still be in the middle of 3-D Secure. */
const PATIENCE_MS = HOUR_MS
/** How long after its end an expired payment is still queried, once a day. */
const WATCHED_MS = 14 * DAY_MS

/** Each pause is one and a half times the previous one. */
const backoffMs = (asked: number, longestMs = LONGEST_MS): number =>
  Math.min(FIRST_MS * 1.5 ** Math.min(asked, 40), longestMs)

type Asked = Pick<Payment, 'state' | 'asked' | 'expiresAt' | 'calledAt' | 'watchedUntil'>

/** How long the acquirer is queried for money of a refund that was refused or that an operator ended. */
export const WATCHED_REFUND_MS = 14 * DAY_MS

const BOOKED: readonly PaymentState[] = ['credited', 'suspended', 'disputed']
const ENDED: readonly PaymentState[] = ['credited', 'suspended', 'disputed', 'refused', 'not-taken', 'reversed']

/** Whether a callback that contradicts a payment's state has stayed unconfirmed for two weeks. */
export const isGivenUp = ({ calledAt }: Pick<Payment, 'calledAt'>, at: Date): boolean =>
  calledAt !== null && at.getTime() - calledAt.getTime() > WATCHED_MS

/**
 * Returns when an acquirer is queried again about a payment, because its callback may have been lost. After a callback
 * that contradicts the payment's state, it is queried for two weeks. If its page accepts other cards after a refusal,
 * it is queried until the page's end. A posted payment whose refund was refused, or was ended by an operator, is
 * queried for two weeks after that.
 * @returns null: not until the acquirer calls
 */
export const nextAsk = (payment: Asked, at: Date, takesOtherCards = false): Date | null => {
  const { state, asked, expiresAt, calledAt } = payment
  const past = at.getTime() - expiresAt.getTime()
  if (calledAt !== null) return isGivenUp(payment, at) ? null : new Date(at.getTime() + backoffMs(asked, DAY_MS))
  if (ENDED.includes(state) && !(state === 'refused' && takesOtherCards && !isOver(payment, at)))
    return nextWatch(payment, at)
  if (state === 'expired') return past > WATCHED_MS ? null : new Date(at.getTime() + DAY_MS)
  const pause = backoffMs(asked)
  // A pause never skips the page's end.
  if (past < 0) return new Date(Math.min(at.getTime() + pause, Math.max(expiresAt.getTime(), at.getTime() + FIRST_MS)))
  return new Date(at.getTime() + Math.min(pause, 5 * MINUTE_MS))
}

/**
 * Returns when a payment is queried again after a query without an answer. The reason for the query remains, also for a
 * payment that has ended.
 */
export const nextAfterFailure = (payment: Asked, at: Date): Date =>
  nextAsk(payment, at) ?? new Date(at.getTime() + backoffMs(payment.asked))

/** Returns when a posted payment is queried again because a refund of it may show late. @returns null: not for that */
export const nextWatch = (
  { state, asked, watchedUntil }: Pick<Payment, 'state' | 'asked' | 'watchedUntil'>,
  at: Date,
): Date | null =>
  watchedUntil !== null && at < watchedUntil && BOOKED.includes(state)
    ? new Date(at.getTime() + backoffMs(asked, DAY_MS))
    : null

/** The time of the first query after a page was made, or after a refused request: payers need time. */
export const firstAsk = (at: Date): Date => new Date(at.getTime() + FIRST_MS)

/** Whether it is too late for any payer to be paying. */
export const isOver = ({ expiresAt }: Pick<Payment, 'expiresAt'>, at: Date): boolean =>
  at.getTime() >= expiresAt.getTime() + PATIENCE_MS

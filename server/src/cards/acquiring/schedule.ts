import type { PaymentState } from './machine.ts'
import type { Payment } from './payment.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const FIRST_MS = 15 * SECOND_MS
const LONGEST_MS = HOUR_MS
/** After its end a page may have a payer in the middle of 3-D Secure. */
const PATIENCE_MS = HOUR_MS
/** So long after its end an expired payment is still asked about, once a day. */
const WATCHED_MS = 14 * DAY_MS

/** Each pause half as long again as the one before. */
const backoffMs = (asked: number, longestMs = LONGEST_MS): number =>
  Math.min(FIRST_MS * 1.5 ** Math.min(asked, 40), longestMs)

type Asked = Pick<Payment, 'state' | 'asked' | 'expiresAt' | 'calledAt' | 'watchedUntil'>

/** How long money of a refund that was refused, or ended by a person, is looked for. */
export const WATCHED_REFUND_MS = 14 * DAY_MS

const BOOKED: readonly PaymentState[] = ['credited', 'suspended', 'disputed']
const ENDED: readonly PaymentState[] = ['credited', 'suspended', 'disputed', 'refused', 'not-taken', 'reversed']

/** Whether the acquirer called to say something else than a payment's state and has not confirmed it in two weeks. */
export const isGivenUp = ({ calledAt }: Pick<Payment, 'calledAt'>, at: Date): boolean =>
  calledAt !== null && at.getTime() - calledAt.getTime() > WATCHED_MS

/**
 * When an acquirer is asked again about a payment: it may have called, and the call was lost. One that called to say
 * something else than the payment's state is asked for two weeks; one whose page takes other cards after a refusal,
 * until the page's end. A booked payment whose refund was refused, or ended by a person, is asked about for two weeks
 * after that.
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
  // Its end is not slept through.
  if (past < 0) return new Date(Math.min(at.getTime() + pause, Math.max(expiresAt.getTime(), at.getTime() + FIRST_MS)))
  return new Date(at.getTime() + Math.min(pause, 5 * MINUTE_MS))
}

/** When a booked payment is asked about again because a refund of it may show late. @returns null: not for that */
export const nextWatch = (
  { state, asked, watchedUntil }: Pick<Payment, 'state' | 'asked' | 'watchedUntil'>,
  at: Date,
): Date | null =>
  watchedUntil !== null && at < watchedUntil && BOOKED.includes(state)
    ? new Date(at.getTime() + backoffMs(asked, DAY_MS))
    : null

/** The first ask after a page was made, or after a refusal of service: payers take their time. */
export const firstAsk = (at: Date): Date => new Date(at.getTime() + FIRST_MS)

/** Whether no payer can be paying any more. */
export const isOver = ({ expiresAt }: Pick<Payment, 'expiresAt'>, at: Date): boolean =>
  at.getTime() >= expiresAt.getTime() + PATIENCE_MS

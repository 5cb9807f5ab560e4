import type { Payment } from './payment.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const FIRST_MS = 15 * SECOND_MS
const LONGEST_MS = HOUR_MS
/** After its end a page may have a payer in the middle of 3-D Secure. */
export const PATIENCE_MS = HOUR_MS
/** So long after its end an expired payment is still asked about, once a day. */
const WATCHED_MS = 14 * DAY_MS

/** Each pause half as long again as the one before. */
const backoffMs = (asked: number): number => Math.min(FIRST_MS * 1.5 ** Math.min(asked, 40), LONGEST_MS)

/** When an acquirer is asked again that has not ended a payment: it may have called, and the call was lost. */
export const nextAsk = ({ state, asked, expiresAt }: Pick<Payment, 'state' | 'asked' | 'expiresAt'>, at: Date): Date | null => {
  const past = at.getTime() - expiresAt.getTime()
  if (state === 'expired') return past > WATCHED_MS ? null : new Date(at.getTime() + DAY_MS)
  const pause = backoffMs(asked)
  // Its end is not slept through.
  if (past < 0) return new Date(Math.min(at.getTime() + pause, Math.max(expiresAt.getTime(), at.getTime() + FIRST_MS)))
  return new Date(at.getTime() + Math.min(pause, 5 * MINUTE_MS))
}

/** The first ask after a page was made, or after a refusal of service: payers take their time. */
export const firstAsk = (at: Date): Date => new Date(at.getTime() + FIRST_MS)

/** Whether nobody can be paying any more. */
export const isOver = ({ expiresAt }: Pick<Payment, 'expiresAt'>, at: Date): boolean => at.getTime() >= expiresAt.getTime() + PATIENCE_MS

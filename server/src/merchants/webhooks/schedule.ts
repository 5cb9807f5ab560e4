import { delivery } from '@bursar/contract'
import { moveOf } from '../../platform/base/moves.ts'
import { streamMoves, type StreamEffect, type StreamState } from './machine.ts'

/** Number of attempts before a delivery is exhausted: the first, and one for each delay. */
export const SCHEDULED_ATTEMPTS = delivery.retryDelays.length + 1
/** Attempts of an exhausted delivery, one a day (`contract.md` 19 #9). */
const DAILY_TRIES = 7
const DAY_MS = 24 * 60 * 60_000

export interface Retry {
  state: StreamState
  effects: readonly StreamEffect[]
  /** ms on the clock of `startedAt`; null: not before an operator restarts it */
  nextAt: number | null
}

/**
 * The state of a stream after a failed attempt, and the time of the next one.
 * @param failures failed attempts at this event, this one included
 * @param startedAt ms: delays are counted from start to start, so that the whole schedule takes exactly 8 h 10 min
 */
export const afterFailure = (state: StreamState, failures: number, startedAt: number): Retry => {
  const ranOut = failures === SCHEDULED_ATTEMPTS || failures >= SCHEDULED_ATTEMPTS + DAILY_TRIES
  const move = moveOf(streamMoves, state, ranOut ? 'ranOut' : 'refused')!
  const delay = delayAfter(move.effects, failures)
  return { state: move.to, effects: move.effects, nextAt: delay === null ? null : startedAt + delay }
}

const delayAfter = (effects: readonly StreamEffect[], failures: number): number | null => {
  if (effects.includes('wait-for-owner')) return null
  return effects.includes('try-daily') ? DAY_MS : delivery.retryDelays[failures - 1]!
}

import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * - asked: not all providers have answered
 * - unanswered: for longer than the configured time, or no provider knows money that must be known; providers are still
 *   asked
 * - clean, risky: judged
 * - released, rejected: risky or unanswered, and decided by operators, or automatically
 */
export type ScreeningState = 'asked' | 'unanswered' | 'clean' | 'risky' | 'released' | 'rejected'
/**
 * `late`: no answer for too long, or none available. `again`: judged before the other side was listed, and still open
 * to change. The others are results and decisions.
 */
export type ScreeningEvent = 'late' | 'again' | 'found-clean' | 'found-risky' | 'released' | 'rejected'
/** `conclude`: calls the subscribers that wait for the judgement, in the same transaction. */
export type ScreeningEffect = 'conclude' | 'alert' | 'resolveAlert'

export const screeningMoves: Moves<ScreeningState, ScreeningEvent, ScreeningEffect> = {
  asked: {
    late: to('unanswered'),
    'found-clean': to('clean', 'conclude'),
    'found-risky': to('risky', 'conclude', 'alert'),
  },
  unanswered: {
    'found-clean': to('clean', 'conclude', 'resolveAlert'),
    'found-risky': to('risky', 'conclude', 'alert'),
    released: to('released', 'resolveAlert'),
    rejected: to('rejected', 'resolveAlert'),
  },
  clean: { again: to('asked') },
  risky: {
    released: to('released', 'resolveAlert'),
    rejected: to('rejected', 'resolveAlert'),
  },
  released: {},
  rejected: {},
}

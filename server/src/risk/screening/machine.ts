import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * - asked: its providers have not all answered
 * - unanswered: for longer than the operator wants to wait, or no provider knows anything of money that has to be
 * known; still being asked
 * - clean, risky: judged
 * - released, rejected: risky or unanswered, and decided: by operators, or by what could be done about it at once
 */
export type ScreeningState = 'asked' | 'unanswered' | 'clean' | 'risky' | 'released' | 'rejected'
/**
 * `late`: no answer for too long, or none to be had. `again`: judged before its other side was listed, and not too
 * late. The others say what was found or decided.
 */
export type ScreeningEvent = 'late' | 'again' | 'found-clean' | 'found-risky' | 'released' | 'rejected'
/** `conclude`: subscribers that wait for the judgement are called, in the same transaction. */
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

import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * Money on its way back to a payer. The hold lasts until it is captured or released.
 * - requested: held, the acquirer knows nothing
 * - asked: it was sent, or may have been: it is only asked about from now on, until its money shows or a person
 * resolves it
 * - done: given back, captured
 * - refused: the acquirer will not give it back, released
 */
export type RefundState = 'requested' | 'asked' | 'done' | 'refused'
/** `unsent`: proven that the acquirer has not heard of it. */
export type RefundEvent = 'asked' | 'unsent' | 'done' | 'refused'
export type RefundEffect = 'capture' | 'release' | 'alert'

export const refundMoves: Moves<RefundState, RefundEvent, RefundEffect> = {
  requested: { asked: to('asked'), done: to('done', 'capture'), refused: to('refused', 'release', 'alert') },
  asked: { unsent: to('requested'), done: to('done', 'capture'), refused: to('refused', 'release', 'alert') },
  done: {},
  refused: {},
}

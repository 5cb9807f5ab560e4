import { to, type Moves } from '../base/moves.ts'

/**
 * Money on its way back to a payer. The hold lasts until it is captured or released.
 * - requested: held, the acquirer knows nothing
 * - asked: the acquirer may have it; it is asked again with the same reference, which is the same refund
 * - done: given back, captured
 * - refused: the acquirer will not give it back, released
 */
export type RefundState = 'requested' | 'asked' | 'done' | 'refused'
export type RefundEvent = 'asked' | 'done' | 'refused'
export type RefundEffect = 'capture' | 'release' | 'alert'

export const refundMoves: Moves<RefundState, RefundEvent, RefundEffect> = {
  requested: { asked: to('asked') },
  asked: { asked: to('asked'), done: to('done', 'capture'), refused: to('refused', 'release', 'alert') },
  done: {},
  refused: {},
}

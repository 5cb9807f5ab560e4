import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * States of a refund. Its hold lasts until it is captured or released.
 * - requested: held; nothing has been sent to the acquirer
 * - asked: sent, or possibly sent: it is only queried from now on, until its money shows or an operator resolves it
 * - done: money returned, hold captured
 * - refused: the acquirer will not make the refund; hold released
 */
export type RefundState = 'requested' | 'asked' | 'done' | 'refused'
/** `unsent`: the acquirer is proven not to have received it. */
export type RefundEvent = 'asked' | 'unsent' | 'done' | 'refused'
export type RefundEffect = 'capture' | 'release' | 'alert'

export const refundMoves: Moves<RefundState, RefundEvent, RefundEffect> = {
  requested: { asked: to('asked'), done: to('done', 'capture'), refused: to('refused', 'release', 'alert') },
  asked: { unsent: to('requested'), done: to('done', 'capture'), refused: to('refused', 'release', 'alert') },
  done: {},
  refused: {},
}

import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * A withdrawal to a chain address. The hold of amount and fee lasts from `requested` until it is captured or released.
 * - requested: held, nothing planned
 * - planned: carried by one of our transactions, not known to any node
 * - sent: a node has the transaction (wire: Pending)
 * - mined: in a block (wire: Done)
 * - settled: in a final block, captured
 * - delivered: moved in the ledger only, to a merchant of ours (wire: Done)
 * - failed: proven not to have happened, released (wire: Failed)
 */
export type WithdrawalState = 'requested' | 'planned' | 'sent' | 'mined' | 'settled' | 'delivered' | 'failed'
export type WithdrawalEvent =
  | 'planned'
  | 'unplanned'
  | 'superseded'
  | 'accepted'
  | 'mined'
  | 'reorganized'
  | 'final'
  | 'reverted'
  | 'delivered'
  | 'given-up'
export type WithdrawalEffect =
  | 'notifyPending'
  | 'notifyDone'
  | 'notifyFailed'
  | 'moveToTransit'
  | 'moveFromTransit'
  | 'capture'
  | 'release'
  | 'deliver'
  | 'alertOperator'

export const withdrawalMoves: Moves<WithdrawalState, WithdrawalEvent, WithdrawalEffect> = {
  requested: {
    planned: to('planned'),
    delivered: to('delivered', 'deliver', 'notifyDone'),
    'given-up': to('failed', 'release', 'notifyFailed'),
  },
  // `superseded`: a final block proves that its transaction can never be mined.
  planned: { unplanned: to('requested'), superseded: to('requested'), accepted: to('sent', 'notifyPending') },
  sent: { superseded: to('requested'), mined: to('mined', 'moveToTransit', 'notifyDone') },
  // Done is never withdrawn: when a block is lost, only the posting to transit is reversed until the same bytes are
  // mined again.
  mined: {
    reorganized: to('sent', 'moveFromTransit'),
    final: to('settled', 'capture'),
    reverted: to('failed', 'release', 'notifyFailed'),
  },
  settled: {},
  delivered: {},
  failed: {},
}

import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * One asset of one deposit address on its way to the hot wallet.
 * - planned: chosen; its preparation (gas, energy, an account) is under way
 * - funded: prepared, or nothing had to be: a transaction may carry it
 * - carried: a transaction of ours holds it, not known to any node
 * - broadcast: a node has the transaction
 * - mined: in a block of the best chain
 * - final: in a final block
 * - failed: in a final block without effect, or not to be prepared: chosen anew when it is worth it
 * - replaced: nothing of its transaction will ever be mined (not signed, or expired and proven dead), another may carry
 * it
 */
export type SweepState = 'planned' | 'funded' | 'carried' | 'broadcast' | 'mined' | 'final' | 'failed' | 'replaced'
export type SweepEvent =
  | 'prepared'
  | 'needs-more'
  | 'dropped'
  | 'attached'
  | 'refused'
  | 'accepted'
  | 'mined'
  | 'reorganized'
  | 'final'
  | 'reverted'

export const sweepMoves: Moves<SweepState, SweepEvent, never> = {
  planned: { prepared: to('funded'), dropped: to('failed') },
  // Its preparation may be used up, or not be sufficient.
  funded: { 'needs-more': to('planned'), attached: to('carried'), dropped: to('failed') },
  carried: { refused: to('replaced'), accepted: to('broadcast') },
  broadcast: { mined: to('mined'), refused: to('replaced') },
  mined: { reorganized: to('broadcast'), final: to('final'), reverted: to('failed') },
  final: {},
  failed: {},
  replaced: {},
}

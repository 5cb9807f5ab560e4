import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * A chain transaction of ours. At most one of its attempts is ever mined.
 * - offered: unsigned bytes stored, to be signed elsewhere
 * - planned: coins or nonce reserved, unsigned bytes stored
 * - signed: signed bytes stored, not known to have reached a node
 * - broadcast: a node took it
 * - mined: in a block of the best chain
 * - final: in a final block, with effect
 * - failed: in a final block, without effect but its fee
 * - abandoned: nothing of it can ever be mined: given up before anything was signed, or its coin or nonce is used for
 *   good
 */
export type OutgoingState = 'offered' | 'planned' | 'signed' | 'broadcast' | 'mined' | 'final' | 'failed' | 'abandoned'
export type OutgoingEvent =
  | 'imported'
  | 'withdrawn'
  | 'signed'
  | 'refused'
  | 'accepted'
  | 'mined'
  | 'reorganized'
  | 'final'
  | 'reverted'
  | 'superseded'
/** `notify` calls the subscribers whose money it carries; `freeCoins` releases its reservations. */
export type OutgoingEffect = 'notify' | 'freeCoins'

export const outgoingMoves: Moves<OutgoingState, OutgoingEvent, OutgoingEffect> = {
  // The person who signs elsewhere may also have broadcast it: then it is found in a block.
  offered: { imported: to('signed'), accepted: to('broadcast', 'notify'), withdrawn: to('abandoned', 'freeCoins') },
  planned: { signed: to('signed'), refused: to('abandoned', 'notify', 'freeCoins') },
  signed: { accepted: to('broadcast', 'notify'), superseded: to('abandoned', 'freeCoins') },
  broadcast: { mined: to('mined', 'notify'), superseded: to('abandoned', 'freeCoins') },
  mined: {
    reorganized: to('broadcast', 'notify'),
    final: to('final', 'notify', 'freeCoins'),
    reverted: to('failed', 'notify'),
  },
  final: {},
  failed: {},
  abandoned: {},
}

import { to, type Moves } from '../../platform/base/moves.ts'

/** `exhausted`: the schedule has run out; the object's later events wait too. */
export type StreamState = 'active' | 'exhausted'
/** `ranOut`: refused at the last try of a schedule. */
export type StreamEvent = 'accepted' | 'refused' | 'ranOut' | 'restarted'
export type StreamEffect = 'try-later' | 'try-daily' | 'wait-for-owner' | 'alert' | 'restart-endpoint'

/**
 * What becomes of an object's deliveries (`contract.md` 7, 18 #17; 19 #9). `restarted` is the owner's doing or follows
 * from `restart-endpoint`.
 */
export const streamMoves: Moves<StreamState, StreamEvent, StreamEffect> = {
  active: {
    accepted: to('active'),
    refused: to('active', 'try-later'),
    ranOut: to('exhausted', 'try-daily', 'alert'),
    restarted: to('active'),
  },
  exhausted: {
    accepted: to('active', 'restart-endpoint'),
    refused: to('exhausted', 'try-daily'),
    ranOut: to('exhausted', 'wait-for-owner'),
    restarted: to('active'),
  },
}

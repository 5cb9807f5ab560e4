import { to, type Moves } from '../../platform/base/moves.ts'

/** `exhausted`: all scheduled attempts have failed. The object's later events wait too. */
export type StreamState = 'active' | 'exhausted'
/** `ranOut`: the last attempt of a schedule was refused. */
export type StreamEvent = 'accepted' | 'refused' | 'ranOut' | 'restarted'
export type StreamEffect = 'try-later' | 'try-daily' | 'wait-for-owner' | 'alert' | 'restart-endpoint'

/**
 * The deliveries of one object (`contract.md` 7, 18 #17; 19 #9). `restarted` is caused by an operator or by
 * `restart-endpoint`.
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

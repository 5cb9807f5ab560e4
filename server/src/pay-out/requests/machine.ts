import { moveOf, to, type Moves } from '../../platform/base/moves.ts'

/**
 * A request of payouts.
 * - waiting: it can be approved until it expires; nothing is held
 * - placing: approved; the worker places the lines of a file one by one, or the refund
 * - placed: every line has ended: as a withdrawal, or refused; a refund was made
 * - refused: by another member; withdrawn: by its maker
 * - failed: approved, and refused for good by the rules of withdrawals or of refunds
 */
export type RequestState = 'waiting' | 'placing' | 'placed' | 'refused' | 'withdrawn' | 'failed'
export type RequestEvent =
  | 'approved-one'
  | 'approved-file'
  | 'ended'
  | 'refused'
  | 'withdrawn'
  | 'rejected'
  | 'unplaced'

export const requestMoves: Moves<RequestState, RequestEvent, never> = {
  waiting: {
    'approved-one': to('placed'),
    'approved-file': to('placing'),
    refused: to('refused'),
    withdrawn: to('withdrawn'),
    rejected: to('failed'),
  },
  placing: { ended: to('placed'), unplaced: to('failed') },
  placed: {},
  refused: {},
  withdrawn: {},
  failed: {},
}

/** The state that an event leads to; undefined if the state does not allow it. */
export const stateAfter = (state: RequestState, event: RequestEvent): RequestState | undefined =>
  moveOf(requestMoves, state, event)?.to

import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * States of a part: one payment of a card payout. A single payout has one part.
 * - planned: no acquirer has received it
 * - sending: an acquirer may have received the order; the outcome of the call is unknown
 * - waiting: an acquirer has the order and has not reported its end, or its state can't be determined
 * - succeeded: the acquirer reports it paid
 * - refused: the acquirer reports that it is not and will not be paid; amount and fee are back on the balance
 * - reversed: it was paid and the money was returned; amount and fee are back on the balance
 */
export type PartState = 'planned' | 'sending' | 'waiting' | 'succeeded' | 'refused' | 'reversed'
export type PartEvent = 'begun' | 'unsent' | 'rerouted' | 'accepted' | 'succeeded' | 'refused' | 'reversed' | 'given-up'
/**
 * `capture` and `release` end the part's share of the hold. The last part to end erases the card and notifies the
 * merchant.
 */
export type PartEffect = 'capture' | 'release' | 'return' | 'alertOperator'

export const partMoves: Moves<PartState, PartEvent, PartEffect> = {
  planned: { begun: to('sending'), 'given-up': to('refused', 'release') },
  // Only a part that provably did not reach an acquirer, or that it refused, may be sent again.
  sending: {
    unsent: to('planned'),
    rerouted: to('planned'),
    accepted: to('waiting'),
    succeeded: to('succeeded', 'capture'),
    refused: to('refused', 'release'),
  },
  waiting: {
    unsent: to('planned'),
    rerouted: to('planned'),
    succeeded: to('succeeded', 'capture'),
    refused: to('refused', 'release'),
  },
  succeeded: { reversed: to('reversed', 'return', 'alertOperator') },
  refused: {},
  reversed: {},
}

/** The state of one order to one acquirer. A part has at most one open order, and none after one that succeeded. */
export type AttemptState = 'open' | 'unsent' | 'refused' | 'succeeded' | 'reversed'

/** The state of a part on the wire (`contract.md` 18, row 23). */
export const wireStatusOf = (state: PartState): 'PENDING' | 'DONE' | 'FAILED' => {
  if (state === 'succeeded') return 'DONE'
  return state === 'refused' || state === 'reversed' ? 'FAILED' : 'PENDING'
}

/** States in which a part's money is held. */
export const OPEN_PARTS: readonly PartState[] = ['planned', 'sending', 'waiting']

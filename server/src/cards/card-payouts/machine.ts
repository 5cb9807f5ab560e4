import { to, type Moves } from '../../platform/base/moves.ts'

/**
 * One payment of a card payout; a single payout has one.
 * - planned: nothing of it is with an acquirer
 * - sending: an acquirer may have the order; it is not known yet
 * - waiting: an acquirer has the order and has not said how it ends, or nothing can be found out
 * - succeeded: the acquirer says it is paid
 * - refused: the acquirer says it is not and will not be; amount and fee are back on the balance
 * - reversed: it was paid and the money has come back; amount and fee are back on the balance
 */
export type PartState = 'planned' | 'sending' | 'waiting' | 'succeeded' | 'refused' | 'reversed'
export type PartEvent = 'begun' | 'unsent' | 'rerouted' | 'accepted' | 'succeeded' | 'refused' | 'reversed' | 'given-up'
/**
 * `capture` and `release` end the part's share of the hold; the last part to end wipes the card and tells the merchant.
 */
export type PartEffect = 'capture' | 'release' | 'return' | 'alertOperator'

export const partMoves: Moves<PartState, PartEvent, PartEffect> = {
  planned: { begun: to('sending'), 'given-up': to('refused', 'release') },
  // Only what is proven not to have reached an acquirer, or was refused by it, may be sent anew. Nothing else ever is.
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

/** What came of one order to one acquirer. A part has at most one that is open; one that succeeded is its last. */
export type AttemptState = 'open' | 'unsent' | 'refused' | 'succeeded' | 'reversed'

/** How a part stands on the wire (`contract.md` 18, row 23). */
export const wireStatusOf = (state: PartState): 'PENDING' | 'DONE' | 'FAILED' => {
  if (state === 'succeeded') return 'DONE'
  return state === 'refused' || state === 'reversed' ? 'FAILED' : 'PENDING'
}

/** States in which a part's money is held. */
export const OPEN_PARTS: readonly PartState[] = ['planned', 'sending', 'waiting']

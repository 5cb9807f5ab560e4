import { moveOf, statesTaking, to, type Moves } from '../../platform/base/moves.ts'

/**
 * The state of a deposit says where its money is.
 * - pending: seen in the pool, or in a block that is not deep enough yet
 * - held: deep enough, and in quarantine until screening or an operator clears it
 * - credited: on the merchant's balance
 * - rejected: stays in quarantine, because an operator decided against it
 * - suspended: in our wallet, posted to suspense: below the minimum, or mined after the merchant was notified of Failed
 * - orphaned: its block is no longer on the best chain
 * - failed: not expected to be mined any more
 */
export type DepositState = 'pending' | 'held' | 'credited' | 'rejected' | 'suspended' | 'orphaned' | 'failed'

/**
 * - pooled, mined: seen in the pool; seen in a block of the best chain
 * - confirmed: deep enough, to be credited
 * - refused: deep enough, but not to be credited
 * - withheld: deep enough, to be screened first
 * - cleared, rejected: the decision about a withheld deposit
 * - reorganized: its block is no longer on the best chain
 * - replaced: another transaction in a final block spends the same coins or nonce
 * - lost: neither pool nor chain has shown it for as long as the policy waits, or an operator dropped it
 */
export type DepositEvent =
  | 'pooled'
  | 'mined'
  | 'confirmed'
  | 'refused'
  | 'withheld'
  | 'cleared'
  | 'rejected'
  | 'reorganized'
  | 'replaced'
  | 'lost'

/**
 * `takeBack` reverses the posting that credited, suspended or quarantined the deposit. `release` moves its money from
 * quarantine to the merchant's balance. A status is notified at most once: `takeBack` sends nothing, and Done is not
 * sent again when the deposit is credited again.
 */
export type DepositEffect =
  | 'credit'
  | 'suspend'
  | 'quarantine'
  | 'release'
  | 'takeBack'
  | 'notifyDone'
  | 'notifyVerified'
  | 'notifyFailed'

export const depositMoves: Moves<DepositState, DepositEvent, DepositEffect> = {
  pending: {
    pooled: to('pending'),
    mined: to('pending'),
    confirmed: to('credited', 'credit', 'notifyDone'),
    refused: to('suspended', 'suspend', 'notifyFailed'),
    withheld: to('held', 'quarantine'),
    reorganized: to('orphaned'),
    replaced: to('failed', 'notifyFailed'),
    lost: to('failed', 'notifyFailed'),
  },
  held: {
    cleared: to('credited', 'release', 'notifyDone', 'notifyVerified'),
    rejected: to('rejected', 'notifyFailed'),
    reorganized: to('orphaned', 'takeBack'),
  },
  rejected: { reorganized: to('orphaned', 'takeBack') },
  credited: { reorganized: to('orphaned', 'takeBack') },
  suspended: { reorganized: to('orphaned', 'takeBack') },
  orphaned: {
    pooled: to('pending'),
    mined: to('pending'),
    replaced: to('failed', 'notifyFailed'),
    lost: to('failed', 'notifyFailed'),
  },
  failed: { mined: to('pending') },
}

/** The states in which an event is allowed, and the single state it leads to from all of them. */
export const pathOf = (event: DepositEvent): { from: DepositState[]; target: DepositState } => {
  const from = statesTaking(depositMoves, event)
  return { from, target: moveOf(depositMoves, from[0]!, event)!.to }
}

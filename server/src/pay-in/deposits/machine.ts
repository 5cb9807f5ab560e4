import { moveOf, statesTaking, to, type Moves } from '../../platform/base/moves.ts'

/**
 * Where the money of a deposit is.
 * - pending: seen in the pool or in a block that is not deep enough yet
 * - held: deep enough, and in quarantine until screening lets it through
 * - credited: on the merchant's balance
 * - rejected: in quarantine for good: an operator decided against it
 * - suspended: in our wallet but without an owner yet, in suspense: below the minimum, or back after the merchant was
 *   notified
 * of Failed
 * - orphaned: its block was lost
 * - failed: it will not come
 */
export type DepositState = 'pending' | 'held' | 'credited' | 'rejected' | 'suspended' | 'orphaned' | 'failed'

/**
 * - pooled, mined: seen in the pool, in a block of the best chain
 * - confirmed: deep enough; refused: deep enough, but not to be credited; withheld: deep enough, to be screened first
 * - cleared, rejected: what became of one that was withheld
 * - reorganized: its block was lost
 * - replaced: what it spends was spent by another transaction, in a final block
 * - lost: neither pool nor chain has shown it for as long as the policy waits
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
 * `takeBack` reverses the posting that credited, suspended or quarantined it; `release` takes it from quarantine to the
 * merchant. No notification is sent twice, so Done stays sent.
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

/** The states an event is taken in, and the one state it leads to from all of them. */
export const pathOf = (event: DepositEvent): { from: DepositState[]; target: DepositState } => {
  const from = statesTaking(depositMoves, event)
  return { from, target: moveOf(depositMoves, from[0]!, event)!.to }
}

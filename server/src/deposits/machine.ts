import { moveOf, statesTaking, to, type Moves } from '../base/moves.ts'

/**
 * Where the money of a deposit is.
 * - pending: seen in the pool or in a block that is not deep enough yet
 * - credited: on the merchant's balance
 * - suspended: in our wallet but nobody's yet, in suspense: below the minimum, or back after the merchant was told
 * Failed
 * - orphaned: its block was lost
 * - failed: it will not come
 */
export type DepositState = 'pending' | 'credited' | 'suspended' | 'orphaned' | 'failed'

/**
 * - pooled, mined: seen in the pool, in a block of the best chain
 * - confirmed: deep enough; refused: deep enough, but not to be credited
 * - reorganized: its block was lost
 * - replaced: what it spends was spent by another transaction, in a final block
 * - lost: neither pool nor chain has shown it for as long as the policy waits
 */
export type DepositEvent = 'pooled' | 'mined' | 'confirmed' | 'refused' | 'reorganized' | 'replaced' | 'lost'

/**
 * `takeBack` reverses the posting that credited or suspended it. Nothing is told twice, so Done stays said for ever.
 */
export type DepositEffect = 'credit' | 'suspend' | 'takeBack' | 'tellDone' | 'tellFailed'

export const depositMoves: Moves<DepositState, DepositEvent, DepositEffect> = {
  pending: {
    pooled: to('pending'),
    mined: to('pending'),
    confirmed: to('credited', 'credit', 'tellDone'),
    refused: to('suspended', 'suspend', 'tellFailed'),
    reorganized: to('orphaned'),
    replaced: to('failed', 'tellFailed'),
    lost: to('failed', 'tellFailed'),
  },
  credited: { reorganized: to('orphaned', 'takeBack') },
  suspended: { reorganized: to('orphaned', 'takeBack') },
  orphaned: {
    pooled: to('pending'),
    mined: to('pending'),
    replaced: to('failed', 'tellFailed'),
    lost: to('failed', 'tellFailed'),
  },
  failed: { mined: to('pending') },
}

/** The states an event is taken in, and the one state it leads to from all of them. */
export const pathOf = (event: DepositEvent): { from: DepositState[]; target: DepositState } => {
  const from = statesTaking(depositMoves, event)
  return { from, target: moveOf(depositMoves, from[0]!, event)!.to }
}

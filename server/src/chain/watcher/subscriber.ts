import type { Block, ChainTransaction, Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'

interface Heights {
  /** height of the cursor once this transaction commits: a block at height h has `headHeight - h + 1` confirmations */
  headHeight: number
  /** the newest height on that branch that is final by the network's rule; never above `headHeight` */
  finalHeight: number
}

export interface PoolChange {
  /** transactions that entered the pool since the last call of this leader; after a start, all of them */
  added: readonly ChainTransaction[]
  /**
   * hashes of everything in the pool now: a transaction that a subscriber waits for and that is absent was mined,
   * replaced or dropped
   */
  hashes: ReadonlySet<string>
}

/**
 * A module that subscribes to a chain. Every call runs in the transaction that moves the cursor, so that its effects
 * happen exactly once. It may lock its own rows, and never posts, notifies or calls a counterparty itself.
 */
export interface ChainSubscriber {
  /**
   * A block joined the best chain. Called in height order; again for a block seen before when an operator rescans, so
   * it must be idempotent. `block.time` is on the business clock, as `moment.at` is.
   */
  block(tx: Tx, network: Network, block: Block, moment: Moment): Promise<Effects>
  /** Every block from this height on left the best chain. The blocks in their place follow. */
  orphaned(tx: Tx, network: Network, fromHeight: number, moment: Moment): Promise<Effects>
  /**
   * Called after new blocks, and at intervals without any, for objects that have become final or have waited too long.
   */
  settled(tx: Tx, network: Network, heights: Heights, moment: Moment): Promise<Effects>
  /** The pool changed; only on networks that have a usable one. */
  mempool(tx: Tx, network: Network, pool: PoolChange, moment: Moment): Promise<Effects>
}

/** Calls every subscriber in order and returns the effects of each. */
export const gather = async (
  subscribers: readonly ChainSubscriber[],
  ask: (subscriber: ChainSubscriber) => Promise<Effects>,
): Promise<Effects[]> => {
  const all: Effects[] = []
  for (const subscriber of subscribers) all.push(await ask(subscriber))
  return all
}

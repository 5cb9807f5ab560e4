import type { BroadcastResult, ChainAdapter, CoinChainAdapter } from '../../adapters/chains/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { recordDropped } from './commands.ts'
import type { SendingDeps } from './sending.ts'
import { rawOf } from './store.ts'
import type { Attempt, Outgoing } from './transaction.ts'

/**
 * Gives up a child that no node has accepted, when its parent was mined without it: it would pay the fee of both for
 * nothing. Returns true when it did.
 */
export const dropNeedless = async (deps: SendingDeps, outgoing: Outgoing, { hash }: Attempt): Promise<boolean> => {
  const { adapter, runtime } = deps
  if (outgoing.paysFor === null || outgoing.firstBroadcastAt !== null) return false
  if ((await adapter.statusOf(outgoing.paysFor)).kind !== 'mined') return false
  // An earlier answer may have been lost: a child that the node has stays.
  if ((await adapter.statusOf(hash!)).kind !== 'unknown') return false
  await inTransaction(runtime.db, (tx) => recordDropped(tx, outgoing, momentOf(runtime)))
  await resolveAlert(runtime.db, 'broadcast', outgoing.id, momentOf(runtime).at)
  return true
}

/**
 * Broadcasts a transaction. A child whose parent is not in the pool, because it pays too little alone, is submitted
 * together with the parent, if that is ours.
 */
export const handOver = async (
  { adapter, runtime }: SendingDeps,
  { paysFor }: Outgoing,
  { raw }: Attempt,
): Promise<BroadcastResult> => {
  const result = await adapter.broadcast(raw!)
  if (result.kind !== 'conflict' || paysFor === null || !isCoinAdapter(adapter)) return result
  const parent = await rawOf(runtime.db, adapter.network, paysFor)
  return parent === undefined || (await adapter.poolCost(paysFor)) ? result : adapter.broadcastWithParent(parent, raw!)
}

const isCoinAdapter = (adapter: ChainAdapter): adapter is CoinChainAdapter => 'broadcastWithParent' in adapter

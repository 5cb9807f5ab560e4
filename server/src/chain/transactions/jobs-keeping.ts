import { later, type SendingDeps } from './sending.ts'
import { stepAgainAt } from './store.ts'
import { inBroadcast } from './traced.ts'
import type { Attempt, Outgoing } from './transaction.ts'

/** Broadcasts a transaction again whose fee can't or need not be raised, so that it stays in the node's pool. */
export const keepInPool = async (deps: SendingDeps, outgoing: Outgoing, attempt: Attempt): Promise<void> => {
  const result = await inBroadcast(deps, outgoing, () => deps.adapter.broadcast(attempt.raw!))
  if (result.kind !== 'accepted')
    deps.runtime.log.warn({ outgoing: outgoing.id, result }, 'the node rejected a stuck transaction')
  await stepAgainAt(deps.runtime.db, outgoing, later(deps, deps.policy.rebroadcastEveryMs))
}

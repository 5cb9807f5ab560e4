import { mayRebuild, REBUILD_AFTER_MS } from '@bursar/chainkit/tron'
import type { ChainAdapter, TronChainAdapter } from '../adapters/chains/port.ts'
import { inTransaction } from '../db/index.ts'
import { raiseAlert, resolveAlert } from '../platform/alerts.ts'
import { momentOf } from '../platform/runtime.ts'
import { recordBump, recordLapsed } from './commands.ts'
import { later, RETRY_MS, type SendingDeps } from './sending.ts'
import { stepAgainAt } from './store.ts'
import type { Attempt, Outgoing, Purpose } from './transaction.ts'
import { planTron, tronContractOf } from './tron-plan.ts'

const STUCK_PAUSE_MS = 60_000
/** Between accounts of ours: what they need may be another by then. They have no intent that the signer guards. */
const LAPSING: ReadonlySet<Purpose> = new Set(['sweep', 'gas', 'resources'])

/** True when no node takes the attempt any more; chains whose transactions don't expire never say so. */
export const hasExpired = ({ runtime }: SendingDeps, { expiresAt }: Attempt): boolean =>
  expiresAt !== null && runtime.clock.now() >= expiresAt.getTime()

/**
 * Ends an expired transaction between accounts of ours, or makes another anew, once the solidified chain proves that it was not mined and never will be, and as long
 * after its end as the signer asks for. Every earlier attempt was proven dead in its turn.
 */
export const renewExpired = async (deps: SendingDeps, outgoing: Outgoing, attempt: Attempt): Promise<void> => {
  const { runtime, policy } = deps
  const adapter = tronAdapter(deps.adapter)
  const expiration = attempt.expiresAt!.getTime()
  if (LAPSING.has(outgoing.purpose)) return lapse(deps, outgoing, attempt)
  if (!mayRebuild(expiration, runtime.clock.now())) {
    const wait = Math.max(RETRY_MS, expiration + REBUILD_AFTER_MS - runtime.clock.now())
    return stepAgainAt(runtime.db, outgoing, later(deps, wait))
  }
  if (!(await adapter.isProvenDead(attempt.hash!, expiration))) return stepAgainAt(runtime.db, outgoing, later(deps, RETRY_MS))
  const contract = tronContractOf(attempt.unsigned)
  const [cost, prices, reference] = await Promise.all([adapter.estimateCost(contract), pricesOf(adapter), adapter.reference()])
  const plan = cost.ok ? planTron({ id: outgoing.id, contract, reference, usage: cost.usage, prices }) : undefined
  if (!plan || plan.networkFee > policy.maxFee) {
    const why = cost.ok ? `its fee would be above the cap of ${policy.maxFee} sun` : cost.message
    const text = `Transaction ${attempt.hash} on TRON expired unmined and can't be made anew: ${why}`
    await raiseAlert(runtime.db, { kind: 'stuck', subject: outgoing.id, text }, momentOf(runtime))
    return stepAgainAt(runtime.db, outgoing, later(deps, STUCK_PAUSE_MS))
  }
  await resolveAlert(runtime.db, 'stuck', outgoing.id, momentOf(runtime).at)
  await inTransaction(runtime.db, (tx) =>
    recordBump(tx, outgoing, { ...plan, signingKeys: attempt.keys, feeRate: prices }, momentOf(runtime)),
  )
  await deps.pause('renewal-planned')
}

const lapse = async (deps: SendingDeps, outgoing: Outgoing, attempt: Attempt): Promise<void> => {
  const { runtime, subscribers } = deps
  if (!(await tronAdapter(deps.adapter).isProvenDead(attempt.hash!, attempt.expiresAt!.getTime()))) {
    return stepAgainAt(runtime.db, outgoing, later(deps, RETRY_MS))
  }
  await deps.pause('lapse-proven')
  await inTransaction(runtime.db, (tx) => recordLapsed(tx, outgoing.id, subscribers, momentOf(runtime)))
}

const pricesOf = async (adapter: TronChainAdapter) => {
  const rate = await adapter.feeRate()
  if (rate.kind !== 'resources') throw new Error('a node of TRON tells prices of its resources')
  return rate
}

const tronAdapter = (adapter: ChainAdapter): TronChainAdapter => {
  if (adapter.network !== 'TRON') throw new Error(`transactions on ${adapter.network} don't expire`)
  return adapter as TronChainAdapter
}

import { isRefused, type Refused } from '@bursar/chainkit'
import { feeAt } from '@bursar/chainkit/bitcoin'
import type { ChainAdapter, CoinChainAdapter, FeeRate, PoolCost } from '../../adapters/chains/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { firstIndex } from '../addresses/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { hasOwnOutput, planBitcoinBump, planConsolidationBump, vsizeOf, type BitcoinBump } from './bitcoin-bump.ts'
import { anyChange, takeChange, type ChangeKey } from './change.ts'
import { spendableCoins } from './coins.ts'
import { recordBump } from './commands.ts'
import { handOver } from './jobs-children.ts'
import { keepInPool } from './jobs-keeping.ts'
import { later, type SendingDeps } from './sending.ts'
import { attemptsOf, childOf, stepAgainAt } from './store.ts'
import type { Attempt, Outgoing } from './transaction.ts'

const MOST_COINS = 1000
/** Nodes evict no more than this for one replacement (BIP 125 rule 5; from Bitcoin Core 31 on so many clusters). */
const MOST_EVICTED = 100

/** The newest attempt of a transaction in the node's pool, and its cost there. */
interface Shown {
  attempt: Attempt
  cost: PoolCost
}

/**
 * Raises the fee of a stuck transaction that, together with its descendants, pays less than the node requires. A
 * replacement pays more, out of the change or of added coins, and also pays for the descendants that leave the pool
 * with it. When that is impossible, or costs more than a child that spends the change, the child is planned. While
 * there is a child, its fee is raised instead.
 */
export const bumpBitcoin = async (deps: SendingDeps, outgoing: Outgoing, attempt: Attempt): Promise<void> => {
  const shown = await shownOf(deps, outgoing)
  if (!shown) return handBack(deps, outgoing, attempt)
  if (await hasChild(deps, outgoing)) return keepInPool(deps, outgoing, shown.attempt)
  const rate = await rateOf(deps)
  if (waits(deps, outgoing, shown, rate.milliSatPerVb)) return keepInPool(deps, outgoing, shown.attempt)
  await payMore(deps, outgoing, shown, rate)
}

/**
 * Broadcasts a transaction again when the pool has no attempt of it: it was just mined, or a full pool evicted it
 * (Bitcoin Core, `TrimToSize`). If the pool's minimum fee rate is now above the transaction's, its fee is raised.
 */
const handBack = async (deps: SendingDeps, outgoing: Outgoing, attempt: Attempt): Promise<void> => {
  const result = await handOver(deps, outgoing, attempt)
  if (result.kind === 'refused' && result.reason === 'fee-too-low')
    return refusedForFee(deps, outgoing, attempt, result.message)
  if (result.kind !== 'accepted')
    deps.runtime.log.warn({ outgoing: outgoing.id, result }, 'the node refused a transaction that had left its pool')
  await stepAgainAt(deps.runtime.db, outgoing, later(deps, deps.policy.rebroadcastEveryMs))
}

/**
 * Handles a transaction that the node refuses for its fee. While an older attempt is in the pool, the node requires the
 * newer one to pay for the descendants of the older one too; then the older one stays until it is stuck again.
 * Otherwise the transaction is replaced at the present rate, and no more.
 */
export const refusedForFee = async (
  deps: SendingDeps,
  outgoing: Outgoing,
  attempt: Attempt,
  message: string,
): Promise<void> => {
  const { runtime, policy } = deps
  const shown = await shownOf(deps, outgoing)
  if (shown) return keepInPool(deps, outgoing, shown.attempt)
  const rate = await rateOf(deps)
  const isPaid = attempt.networkFee >= feeAt(rate.milliSatPerVb, vsizeOf(attempt.unsigned))
  if (!isPaid && !(await hasChild(deps, outgoing))) return payMore(deps, outgoing, { attempt }, rate)
  if (runtime.clock.business() - attempt.createdAt.getTime() >= policy.bumpAfterMs) {
    const text = `BITCOIN rejects transaction ${attempt.hash} because of its fee, although the node asks for this fee: ${message}`
    await raiseAlert(runtime.db, { kind: 'broadcast', subject: outgoing.id, text }, momentOf(runtime))
  }
  return stepAgainAt(runtime.db, outgoing, later(deps, policy.rebroadcastEveryMs))
}

const payMore = async (
  deps: SendingDeps,
  outgoing: Outgoing,
  shown: Partial<Shown> & Pick<Shown, 'attempt'>,
  rate: VbyteRate,
): Promise<void> => {
  const { runtime } = deps
  const { attempt, cost } = shown
  const evicted = cost?.descendants ?? NONE
  const planned = await (outgoing.purpose === 'consolidation' ? planJoining : planPayout)(deps, shown, rate)
  if (isRefused(planned) || evicted.count > 0) {
    const below = isRefused(planned) ? undefined : planned.bump.networkFee - attempt.networkFee
    if (await deps.payForParent?.(outgoing, attempt, rate.milliSatPerVb, below))
      return keepInPool(deps, outgoing, attempt)
  }
  if (isRefused(planned)) {
    const text = `Transaction ${attempt.hash} on BITCOIN is stuck, and its fee can't be raised: ${planned.message}`
    await raiseAlert(runtime.db, { kind: 'stuck', subject: outgoing.id, text }, momentOf(runtime))
    return keepInPool(deps, outgoing, attempt)
  }
  const { bump, change } = planned
  await inTransaction(runtime.db, (tx) =>
    recordBump(tx, outgoing, { ...bump, feeRate: rate }, momentOf(runtime), {
      coins: bump.added,
      ...(change && { change }),
    }),
  )
  await resolveAlert(runtime.db, 'stuck', outgoing.id, momentOf(runtime).at)
  await deps.pause('bump-planned')
}

type Planned = { bump: BitcoinBump; change?: ChangeKey }
type VbyteRate = Extract<FeeRate, { kind: 'vbyte' }>

const NONE = { count: 0, vsize: 0, fee: 0n }

const shownOf = async ({ runtime, adapter }: SendingDeps, { id }: Outgoing): Promise<Shown | undefined> => {
  for (const attempt of (await attemptsOf(runtime.db, id)).toReversed()) {
    const cost = attempt.hash === null ? null : await coinAdapter(adapter).poolCost(attempt.hash)
    if (cost) return { attempt, cost }
  }
  return undefined
}

/** Whether there is a child to wait for. One that no node accepts does not count for long. */
const hasChild = async ({ runtime, policy }: SendingDeps, { id }: Outgoing): Promise<boolean> =>
  (await childOf(runtime.db, id, new Date(runtime.clock.business() - policy.bumpAfterMs))) !== undefined

/**
 * Whether to leave a transaction as it is: it pays enough and is only waiting for a block. A consolidation may also
 * wait for low fees, unless it pays for a transaction that can't wait.
 */
const waits = ({ policy }: SendingDeps, { purpose }: Outgoing, { cost }: Shown, rate: bigint): boolean =>
  cost.package.fee >= feeAt(rate, cost.package.vsize) ||
  (purpose === 'consolidation' && cost.ancestors.vsize === 0 && rate > policy.patientRate)

const planPayout = async (
  { runtime, wallet, policy }: SendingDeps,
  { attempt, cost }: Pick<Shown, 'attempt'> & Partial<Shown>,
  { milliSatPerVb: feeRateMilliSatPerVb, incrementMilliSatPerVb }: VbyteRate,
): Promise<Planned | Refused<string>> => {
  const evicted = cost?.descendants ?? NONE
  if (evicted.count >= MOST_EVICTED)
    return { refused: 'not-replaceable', message: `${evicted.count} transactions of others stand on it` }
  // The change may go to a seed that was replaced: a coin of the other one would go there too.
  const isOld = attempt.keys.some(({ index }) => index < firstIndex(wallet, 'BITCOIN'))
  const coins = isOld ? [] : await spendableCoins(runtime.db, 'BITCOIN', MOST_COINS, wallet)
  const replacedFees = cost && cost.fee + evicted.fee
  const planWith = (change: ChangeKey) =>
    planBitcoinBump({
      wallet,
      attempt,
      coins,
      change,
      feeRateMilliSatPerVb,
      policy,
      ...(replacedFees !== undefined && { replacedFees }),
      ...(incrementMilliSatPerVb !== undefined && { incrementMilliSatPerVb }),
    })
  const bump = planWith(anyChange(wallet))
  if (isRefused(bump)) return bump
  // Change goes to the same address as before; a transaction without change needs a new address for it.
  if (hasOwnOutput(attempt.unsigned) || !hasOwnOutput(bump.unsigned)) return { bump }
  const change = await takeChange(runtime.db, wallet)
  const again = planWith(change)
  return isRefused(again) ? again : { bump: again, change }
}

const planJoining = async (
  { policy }: SendingDeps,
  { attempt, cost }: Pick<Shown, 'attempt'> & Partial<Shown>,
  { milliSatPerVb: feeRateMilliSatPerVb, incrementMilliSatPerVb = 0n }: VbyteRate,
): Promise<Planned | Refused<string>> => {
  const bump = planConsolidationBump({
    attempt,
    feeRateMilliSatPerVb,
    incrementMilliSatPerVb,
    ...(cost && { ancestors: cost.ancestors }),
    policy,
  })
  return isRefused(bump) ? bump : { bump }
}

const rateOf = async ({ adapter }: SendingDeps): Promise<VbyteRate> => {
  const rate = await adapter.feeRate()
  if (rate.kind !== 'vbyte') throw new Error('a Bitcoin node estimates fees for each virtual byte')
  return rate
}

const coinAdapter = (adapter: ChainAdapter): CoinChainAdapter => {
  if (!('poolCost' in adapter))
    throw new Error(`${adapter.network} has no pool of transactions that stand on each other`)
  return adapter as CoinChainAdapter
}

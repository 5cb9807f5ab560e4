import { isRefused } from '@bursar/chainkit'
import { inputFeeAt } from '@bursar/chainkit/bitcoin'
import {
  anyChange,
  planConsolidation,
  spendable,
  sweepableCoins,
  takeChange,
  type ChangeKey,
  type OwnCoin,
} from '../../chain/transactions/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { rateOf, storeJoining, type ConsolidationDeps } from './jobs.ts'
import { mayPlan } from './store.ts'

/** A thief of the first seed can spend its coins, so they are moved as soon as they are final. */
const EVERY_MS = 10_000
const MOST_COINS = 10_000

/**
 * Creates the job that moves every final coin of the first seed to the hot wallet of the second
 * (docs/decisions/0210), at the rate of the node and for any fee within the caps. Coins that cost as much to spend as
 * they hold stay.
 */
export const createFirstSeedJob = (deps: ConsolidationDeps): Job => ({
  name: 'empty the first seed BITCOIN',
  everyMs: EVERY_MS,
  run: () => emptyFirstSeed(deps),
})

/** Plans one transaction. Returns whether more coins wait than it spends. */
const emptyFirstSeed = async (deps: ConsolidationDeps): Promise<boolean> => {
  const { runtime, policy, wallet, adapter } = deps
  const { db } = runtime
  const coins = await sweepableCoins(db, 'BITCOIN', MOST_COINS, wallet)
  if (coins.length === 0 || !(await mayPlan(db, momentOf(runtime).at, wallet))) return false
  const { milliSatPerVb: rate } = await rateOf(adapter)
  const worth = coins.filter((own) => own.units > inputFeeAt(rate, spendable(wallet, own).script))
  const chosen = within(deps, worth.slice(0, policy.mostCoins), rate)
  if (chosen.length === 0) return false
  const change = await takeChange(db, wallet)
  const plan = planTo(deps, chosen, change, rate)
  if (isRefused(plan)) throw new Error(`no coin of the first seed can be moved: ${plan.message}`)
  await deps.pause('coins-gathered')
  const feeRate = { kind: 'vbyte', milliSatPerVb: rate }
  const isStored = await storeJoining(deps, { plan, coins: chosen, change, feeRate, paysFor: null })
  return isStored && worth.length > chosen.length
}

/** The largest of these coins whose transaction is within the caps on fees; none when even the largest alone is not. */
const within = (deps: ConsolidationDeps, coins: readonly OwnCoin[], rate: bigint): readonly OwnCoin[] => {
  let some = coins
  while (some.length > 0) {
    const plan = planTo(deps, some, anyChange(deps.wallet), rate)
    if (!isRefused(plan)) return some
    deps.runtime.log.info({ coins: some.length, why: plan.message }, 'coins of the first seed are not moved together')
    some = some.slice(0, Math.floor(some.length / 2))
  }
  return []
}

const planTo = (
  { wallet, sending }: ConsolidationDeps,
  coins: readonly OwnCoin[],
  change: ChangeKey,
  rate: bigint,
): ReturnType<typeof planConsolidation> =>
  planConsolidation({ wallet, coins, change, feeRateMilliSatPerVb: rate, policy: sending })

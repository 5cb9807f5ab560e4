import { isRefused } from '@bursar/chainkit'
import { inTransaction } from '../../platform/db/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import {
  anyChange,
  insertPlanned,
  knowChange,
  lockOutgoing,
  planConsolidation,
  takeChange,
  refusedPayouts,
} from '../../chain/transactions/index.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { rateOf, type ConsolidationDeps } from './jobs.ts'
import { coinOf, mayPlan } from './store.ts'

const EVERY_MS = 60_000

type VbyteRate = Awaited<ReturnType<typeof rateOf>>

/**
 * Recalls signed payouts that the node refuses for good, by spending one of their coins to ourselves. Once that is in a
 * final block, the payouts can never be mined, and their withdrawals are planned again, each checked against the node's
 * rules. If a payout is mined after all, the recall can't be.
 */
export const createRecallJob = (deps: ConsolidationDeps): Job => ({
  name: 'recall BITCOIN',
  everyMs: EVERY_MS,
  run: async () => {
    const { runtime, sending } = deps
    const { at } = momentOf(runtime)
    const since = new Date(at.getTime() - sending.bumpAfterMs)
    const refused = await refusedPayouts(runtime.db, since)
    if (refused.length === 0 || !(await mayPlan(runtime.db, at, deps.wallet))) return false
    const rate = await rateOf(deps.adapter)
    await forEachIsolated(refused, (id) => recall(deps, id, since, rate))
    return false
  },
})

const recall = async (
  deps: ConsolidationDeps,
  payout: string,
  refusedBefore: Date,
  feeRate: VbyteRate,
): Promise<void> => {
  const { runtime, wallet, sending } = deps
  const coin = await coinOf(runtime.db, payout)
  if (!coin) return
  const planWith = (change: ReturnType<typeof anyChange>) =>
    planConsolidation({ wallet, coins: [coin], change, feeRateMilliSatPerVb: feeRate.milliSatPerVb, policy: sending })
  const tried = planWith(anyChange(wallet))
  if (isRefused(tried)) {
    runtime.log.info({ payout, why: tried.message }, 'a refused payout is not recalled')
    return
  }
  const change = await takeChange(runtime.db, wallet)
  const plan = planWith(change)
  if (isRefused(plan)) return
  await deps.pause('recall-chosen')
  const { unsigned, networkFee, signingKeys, keys, senders } = plan
  const id = runtime.newId()
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    await lockOutgoing(tx, payout)
    // Another worker may have recalled it meanwhile.
    if (!(await refusedPayouts(tx, refusedBefore)).includes(payout)) return
    await knowChange(tx, change, moment.at)
    // The coin stays reserved for the payout: whichever transaction spends it in a final block ends the other one.
    await insertPlanned(
      tx,
      {
        id,
        network: 'BITCOIN',
        purpose: 'consolidation',
        nonce: null,
        feeRate,
        unsigned,
        networkFee,
        signingKeys,
        keys,
        senders,
      },
      moment,
    )
    const text = `The Bitcoin node rejects payout ${payout} permanently: one of its coins is sent to the hot wallet. Once that is final, its withdrawals are paid again, except those that the node never accepts`
    await raiseAlert(tx, { kind: 'payout-recalled', subject: payout, text }, moment)
  })
}

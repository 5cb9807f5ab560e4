import { inTransaction } from '../../../platform/db/index.ts'
import {
  insertPlanned,
  isPlannedStill,
  recentReference,
  toppedUpSince,
  tronPayment,
} from '../../../chain/transactions/index.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import { byHot } from './plans.ts'
import type { StakeDeps } from './stake.ts'

/** A thief of the first seed can take what is sent, so it is sent rarely. */
const PAUSE_MS = 60 * 60_000

/**
 * Plans a transfer of TRX to the hot address of a first seed, for the fees of the transfers that empty it: at most once
 * in an hour.
 * @param sun that it lacks
 * @returns `waiting` when one was planned within the hour, or another job has planned meanwhile; `too-poor` when the
 *   hot address in use has less
 */
export const topUpFirstHot = async (
  deps: StakeDeps,
  to: string,
  sun: bigint,
): Promise<'planned' | 'waiting' | 'too-poor'> => {
  const { runtime, adapter, hotAddress } = deps
  const since = new Date(momentOf(runtime).at.getTime() - PAUSE_MS)
  if (await toppedUpSince(runtime.db, to, since)) return 'waiting'
  const [prices, reference] = await Promise.all([adapter.feeRate(), recentReference(deps)])
  const { sun: left, planned } = await deps.spendable()
  if (prices.kind !== 'resources') throw new Error('the fee rate of TRON must consist of resource prices')
  const contract = tronPayment({ from: hotAddress, to, units: sun, contract: null })
  const outgoing = byHot(deps, { prices, reference }, contract, 'gas')
  if (sun + outgoing.networkFee > left) return 'too-poor'
  return inTransaction(runtime.db, async (tx) => {
    if (!(await isPlannedStill(tx, 'TRON', hotAddress, planned))) return 'waiting'
    await insertPlanned(tx, outgoing, momentOf(runtime))
    return 'planned'
  })
}

import { inTransaction } from '../../platform/db/index.ts'
import { forEachIsolated } from '../../platform/jobs/index.ts'
import { gapsOf, insertPlanned, paymentCall, planEvm, takeFreed, type HotKey } from '../../chain/transactions/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { gasRateOf, hotRow, type EvmPayoutDeps } from './payouts.ts'

const FILLER_GAS = 21_000n

/** Uses up nonces that were freed, that no payment took over, and that signed transactions wait behind. */
export const fillGaps = async (deps: EvmPayoutDeps): Promise<void> => {
  const { runtime, network } = deps
  const gaps = await gapsOf(runtime.db, network, momentOf(runtime).at)
  await forEachIsolated(gaps, ({ address, index, nonce }) => planFiller(deps, { address, index }, nonce))
}

/** A filler pays nothing to its own sender. */
const planFiller = async (deps: EvmPayoutDeps, key: HotKey, nonce: number): Promise<void> => {
  const { runtime, network, chainId } = deps
  const rate = await gasRateOf(deps)
  const call = paymentCall({ to: key.address, units: 0n, contract: null })
  const plan = planEvm({ network, chainId, nonce, call, gas: FILLER_GAS, rate })
  await inTransaction(runtime.db, async (tx) => {
    if (!(await takeFreed(tx, network, key.address, nonce))) return
    await insertPlanned(
      tx,
      { ...hotRow(network, key, nonce), id: runtime.newId(), purpose: 'filler', ...plan, feeRate: rate },
      momentOf(runtime),
    )
  })
}

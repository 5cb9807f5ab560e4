import type { Network } from '@bursar/chainkit'
import type { ChainAdapter } from '../adapters/chains/port.ts'
import type { Catalogue } from '../assets/index.ts'
import { inTransaction } from '../db/index.ts'
import { carryOut } from '../effects/index.ts'
import { eachApart, type Job } from '../jobs/index.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'
import { deliver, type ReceiveInternal } from './commands.ts'
import type { WithdrawalFollower } from './following.ts'
import { planBitcoinBatch } from './jobs-bitcoin.ts'
import { planEvmPayouts } from './jobs-evm.ts'
import { fillGaps } from './jobs-fillers.ts'
import { planTronPayouts } from './jobs-tron.ts'
import type { BitcoinPayoutDeps, EvmPayoutDeps, TronPayoutDeps } from './payouts.ts'
import { nextWaiting } from './store.ts'
import { storeFeeRate } from './terms.ts'
import type { Withdrawal } from './withdrawal.ts'

/** Takes up waiting Bitcoin withdrawals, many with one transaction. */
export const createBitcoinPayoutJob = (deps: BitcoinPayoutDeps, everyMs: number): Job => ({
  name: 'payouts BITCOIN',
  everyMs,
  run: () => planBitcoinBatch(deps),
})

/** Takes up waiting withdrawals of one EVM network, and fills nonces that a refusal left unused. */
export const createEvmPayoutJob = (deps: EvmPayoutDeps, everyMs: number): Job => ({
  name: `payouts ${deps.network}`,
  everyMs,
  run: async () => {
    let made = false
    // Payments first: they take freed nonces, which then need no filler.
    await eachApart([async () => void (made = await planEvmPayouts(deps)), () => fillGaps(deps)], (part) => part())
    return made
  },
})

/** Takes up waiting withdrawals on TRON, one with each transaction. */
export const createTronPayoutJob = (deps: TronPayoutDeps, everyMs: number): Job => ({
  name: 'payouts TRON',
  everyMs,
  run: () => planTronPayouts(deps),
})

const MOST_INTERNAL = 50

/** Delivers withdrawals that stay inside this service. */
export const createInternalDeliveryJob = (deps: {
  runtime: Runtime
  catalogue: Catalogue
  networks: readonly Network[]
  receive: ReceiveInternal
  /** those of these whose money is proved; absent: all */
  proved?(waiting: readonly Withdrawal[]): Promise<Withdrawal[]>
  followers?: readonly WithdrawalFollower[]
}): Job => ({
  name: 'deliver internal withdrawals',
  everyMs: 200,
  run: async () => {
    const { runtime } = deps
    let delivered = 0
    await eachApart(deps.networks, async (network) => {
      const all = await nextWaiting(runtime.db, network, 'internal', momentOf(runtime).at, MOST_INTERNAL)
      const waiting = deps.proved ? await deps.proved(all) : all
      await eachApart(waiting, async (withdrawal) => {
        await inTransaction(runtime.db, async (tx) => {
          const moment = momentOf(runtime)
          const effects = await deliver(tx, withdrawal, deps, moment)
          if (effects) await carryOut(tx, effects, moment)
        })
        delivered += 1
      })
    })
    return delivered > 0
  },
})

/** Keeps the fee estimates that requests are priced by. */
export const createFeeRateJob = (runtime: Runtime, adapters: readonly ChainAdapter[], everyMs: number): Job => ({
  name: 'fee estimates',
  everyMs,
  run: async () => {
    const results = await Promise.allSettled(
      adapters.map(async (adapter) => storeFeeRate(runtime.db, adapter.network, await adapter.feeRate(), runtime.clock.now())),
    )
    results.forEach((result, i) => {
      if (result.status === 'rejected') runtime.log.warn({ err: result.reason, network: adapters[i]!.network }, 'no fee estimate')
    })
    return false
  },
})

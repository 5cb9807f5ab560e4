import type { Network } from '@bursar/chainkit'
import type { ChainAdapter, FeeRate } from '../../adapters/chains/port.ts'
import { sendingJob } from '../../chain/transactions/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { forEachIsolated, IDLE_MS, type Job } from '../../platform/jobs/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { deliver, type ReceiveInternal, type WithdrawalSubscriber } from './commands.ts'
import { planBitcoinBatch } from './jobs-bitcoin.ts'
import { fillGaps, planEvmPayouts } from './jobs-evm.ts'
import { planTronPayouts } from './jobs-tron.ts'
import type { BitcoinPayoutDeps, EvmPayoutDeps, TronPayoutDeps } from './payouts.ts'
import { type PaymentGas, storeFeeRate } from './terms.ts'
import { nextWaiting } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

/** The name of the job that plans payments on a network: `JobLoop.wake` takes it. */
export const payoutJob = (network: Network): string => `payouts ${network}`

/** Plans payments of waiting Bitcoin withdrawals, many in one transaction. */
export const createBitcoinPayoutJob = (deps: BitcoinPayoutDeps, everyMs: number): Job => ({
  name: payoutJob('BITCOIN'),
  everyMs,
  idleMs: IDLE_MS,
  wakes: [sendingJob('BITCOIN')],
  run: () => planBitcoinBatch(deps),
})

/**
 * Plans payments of waiting withdrawals of one EVM network, and sends a transaction without effect for each nonce that
 * a refusal left unused.
 */
export const createEvmPayoutJob = (deps: EvmPayoutDeps, everyMs: number): Job => ({
  name: payoutJob(deps.network),
  everyMs,
  idleMs: IDLE_MS,
  wakes: [sendingJob(deps.network)],
  run: async () => {
    let made = false
    // Payments first: they use freed nonces, which then need no filler.
    await forEachIsolated([async () => void (made = await planEvmPayouts(deps)), () => fillGaps(deps)], (part) =>
      part(),
    )
    return made
  },
})

/** Plans payments of waiting withdrawals on TRON, one in each transaction. */
export const createTronPayoutJob = (deps: TronPayoutDeps, everyMs: number): Job => ({
  name: payoutJob('TRON'),
  everyMs,
  idleMs: IDLE_MS,
  wakes: [sendingJob('TRON')],
  run: () => planTronPayouts(deps),
})

const MOST_INTERNAL = 50

/** Delivers withdrawals whose receiver is a merchant of this installation. */
export const createInternalDeliveryJob = (deps: {
  runtime: Runtime
  catalogue: Catalogue
  networks: readonly Network[]
  receive: ReceiveInternal
  /** the withdrawals whose money is proved; if absent, all of them */
  proved?(waiting: readonly Withdrawal[]): Promise<Withdrawal[]>
  withdrawalSubscribers?: readonly WithdrawalSubscriber[]
}): Job => ({
  name: 'deliver internal withdrawals',
  everyMs: 200,
  idleMs: IDLE_MS,
  run: async () => {
    const { runtime } = deps
    let delivered = 0
    await forEachIsolated(deps.networks, async (network) => {
      const all = await nextWaiting(runtime.db, network, 'internal', momentOf(runtime).at, MOST_INTERNAL)
      const waiting = deps.proved ? await deps.proved(all) : all
      await forEachIsolated(waiting, async (withdrawal) => {
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

/** Raises an alert while a node has no fee estimate and a guess is used instead. */
const alertGuess = async (runtime: Runtime, network: Network, rate: FeeRate): Promise<void> => {
  const moment = momentOf(runtime)
  if (rate.kind !== 'vbyte' || rate.guessed !== true)
    return resolveAlert(runtime.db, 'fees-unknown', network, moment.at)
  const text =
    `The node of ${network} has no fee estimate: payouts use ${Number(rate.milliSatPerVb) / 1_000} sat/vB, its newest estimate or the rate of recent blocks. ` +
    `The estimate returns some hours after a restore, a sync or an upgrade. Small coins are not consolidated meanwhile`
  await raiseOrRenewAlert(runtime.db, { kind: 'fees-unknown', subject: network, text }, moment)
}

/** The prices of TRON's resources change by a vote, at most every six hours, and gateways limit requests. */
const TRON_EVERY_MS = 60_000

/**
 * Refreshes the fee estimates that determine withdrawal fees.
 * @param gasOf gas of a network's payments; without a new estimate the previous one remains
 */
export const createFeeRateJob = (
  runtime: Runtime,
  adapters: readonly ChainAdapter[],
  everyMs: number,
  gasOf?: (adapter: ChainAdapter) => Promise<PaymentGas | undefined>,
): Job => {
  let tronReadAt = -Infinity
  const refresh = async (adapter: ChainAdapter): Promise<void> => {
    const now = runtime.clock.now()
    if (adapter.network === 'TRON' && now - tronReadAt < TRON_EVERY_MS) return
    const rate = await adapter.feeRate()
    const gas = await gasOf?.(adapter).catch((err: unknown) => {
      runtime.log.warn({ err, network: adapter.network }, 'no estimate of gas')
      return undefined
    })
    await storeFeeRate(runtime.db, adapter.network, rate, runtime.clock.now(), gas)
    await alertGuess(runtime, adapter.network, rate)
    if (adapter.network === 'TRON') tronReadAt = now
  }
  return {
    name: 'fee estimates',
    everyMs,
    run: async () => {
      const results = await Promise.allSettled(adapters.map(refresh))
      results.forEach((result, i) => {
        if (result.status === 'rejected')
          runtime.log.warn({ err: result.reason, network: adapters[i]!.network }, 'no fee estimate')
      })
      return false
    },
  }
}

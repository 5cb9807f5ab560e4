import { createListeners } from './following.ts'
import { payoutJobs } from './money-out.ts'
import { priceJobs } from './prices.ts'
import type { WorkerDeps, World } from './world.ts'
import { isEvmNetwork, type Network } from '@bursar/chainkit'
import type { ChainAdapter } from '../adapters/chains/port.ts'
import { callbackPath } from '../acquiring/index.ts'
import { createConversionJobs } from './converting.ts'
import { createCostJob } from '../costs/index.ts'
import { createBalanceCheckJob } from '../deposits/index.ts'
import { createQuotePruneJob } from '../exchange/index.ts'
import { createAnswerPruneJob } from '../http/index.ts'
import { BASE_TICKERS, createExpiryJob, createQuoteJob } from '../invoices/index.ts'
import { invoiceSettings, withdrawalFollowers } from './invoicing.ts'
import type { Job } from '../jobs/index.ts'
import { bitcoinHotAddress, evmHotAddress, tronHotAddress } from '../outgoing/index.ts'
import { createHotWatchJob, createReconcileJob, createSealJob } from '../treasury/index.ts'
import { createAttemptPruneJob } from '../webhooks/index.ts'
import { createFeeRateJob, createInternalDeliveryJob } from '../withdrawals/index.ts'
import { createCardJobs } from './cards.ts'
import { createFiatJobs } from './fiat.ts'
import { createHedgeJobs } from './hedges.ts'
import { createScreeningJobs } from './screening.ts'

const FEES_EVERY_MS = 10_000
const BALANCE_CHECK_EVERY_MS = 15_000
const RECONCILE_EVERY_MS = 5 * 60_000
const COSTS_EVERY_MS = 30_000
const TREASURY_EVERY_MS = 10_000
const INVOICES_EVERY_MS = 1_000

/** Everything that takes time: money out, prices, notifications, the books. */
export const createWorkerJobs = (world: World, deps: WorkerDeps): Job[] => {
  const { runtime, catalogue } = world
  const { deposits } = createListeners(world)
  const all = [...deps.adapters.values()]
  const tickers = [...new Set([...[...catalogue.crypto, ...catalogue.fiat].map((asset) => asset.ticker), ...BASE_TICKERS])]
  const invoices = { runtime, settings: invoiceSettings(world), everyMs: INVOICES_EVERY_MS, pause: deps.pause }
  return [
    createFeeRateJob(runtime, all, FEES_EVERY_MS),
    ...priceJobs(world, deps, tickers),
    createInternalDeliveryJob({
      runtime,
      catalogue,
      networks: [...catalogue.networks],
      receive: (tx, withdrawal, moment) => deposits.receiveInternal(tx, withdrawal, moment),
      followers: withdrawalFollowers(world),
    }),
    ...all.flatMap((adapter) => payoutJobs(world, deps, adapter)),
    ...all.flatMap((adapter) => {
      const { network } = adapter
      return isEvmNetwork(network) ? [createBalanceCheckJob({ runtime, network, adapter, deposits, everyMs: BALANCE_CHECK_EVERY_MS })] : []
    }),
    ...createScreeningJobs(world, { deposits, adapters: deps.adapters, pause: deps.pause }),
    ...createFiatJobs(world, deps.pause),
    ...createCardJobs(world, (account) => world.publicUrl + callbackPath(account), deps.pause),
    createExpiryJob(invoices),
    createQuoteJob(invoices),
    deps.delivery.job,
    createAttemptPruneJob(runtime),
    createAnswerPruneJob(runtime),
    createQuotePruneJob(runtime),
    ...createHedgeJobs(world, deps),
    ...createConversionJobs(world, deps.holders, deps.pause),
    createSealJob(runtime, 1_000),
    createReconcileJob(runtime, catalogue, all, RECONCILE_EVERY_MS),
    createCostJob(runtime, COSTS_EVERY_MS),
    createHotWatchJob({ runtime, catalogue, policies: world.policies.treasury, addresses: hotAddresses(world, all), everyMs: TREASURY_EVERY_MS }),
  ]
}

/** Where the operator fills the hot wallet of each network. */
const hotAddresses = ({ wallet }: World, adapters: readonly ChainAdapter[]): Map<Network, string> =>
  new Map(adapters.map(({ network }) => {
    if (network === 'BITCOIN') return [network, bitcoinHotAddress(wallet)]
    return [network, network === 'TRON' ? tronHotAddress(wallet) : evmHotAddress(wallet)]
  }))

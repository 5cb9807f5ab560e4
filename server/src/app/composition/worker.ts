import { createChainSubscribers } from './chain-subscribers.ts'
import { payoutJobs } from './money-out.ts'
import { priceJobs } from './prices.ts'
import type { WorkerDeps, World } from './world.ts'
import { isEvmNetwork, type Network } from '@bursar/chainkit'
import type { AccountChainAdapter, ChainAdapter, CoinChainAdapter } from '../../adapters/chains/port.ts'
import { createAuditJob, provedPayments } from '../../treasury/auditing/index.ts'
import { callbackPath } from '../../cards/acquiring/index.ts'
import { createErasingJob } from '../../dashboard/payers/index.ts'
import { createPlacingJob } from '../../pay-out/requests/index.ts'
import { createMonthlyMailsJob } from '../../dashboard/balances/index.ts'
import { createConversionJobs } from './converting.ts'
import { createFigureJob } from '../../ledger/figures/index.ts'
import { createInvariantJob } from '../../treasury/invariants/index.ts'
import { createCostJob } from '../../treasury/costs/index.ts'
import {
  createAncestryJob,
  createBackingJob,
  createBalanceCheckJob,
  createUndecidedJob,
} from '../../pay-in/deposits/index.ts'
import { createQuotePruneJob } from '../../exchange/exchanges/index.ts'
import { createAnswerPruneJob } from '../http/index.ts'
import { BASE_TICKERS, createExpiryJob, createQuoteJob } from '../../pay-in/crypto-invoices/index.ts'
import { invoiceSettings, createWithdrawalSubscribers } from './invoicing.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { bitcoinHotAddress, createLostJob, evmHotAddress, tronHotAddress } from '../../chain/transactions/index.ts'
import {
  createCountJob,
  createHotWatchJob,
  createReconcileJob,
  createSealJob,
} from '../../treasury/reconciliation/index.ts'
import { createBackupWatchJob } from '../../platform/runtime/backups.ts'
import { createUntracedJob } from '../../chain/watcher/index.ts'
import { createRefusalPruneJob } from '../../merchants/refused-requests/index.ts'
import { createCountPruneJob } from '../../merchants/request-counts/index.ts'
import { createAttemptPruneJob, createMonthsJob } from '../../merchants/webhooks/index.ts'
import {
  createClosedJob,
  createFeeRateJob,
  createGasReader,
  createInternalDeliveryJob,
  type PaymentGas,
} from '../../pay-out/withdrawals/index.ts'
import { cardPlacing, createCardJobs } from './cards.ts'
import { createFiatJobs } from './fiat.ts'
import { createRefundMakers } from './refunds.ts'
import { createHedgeJobs } from './hedges.ts'
import { createScreeningJobs } from './screening.ts'
import { createSignerLimitsJob } from './signing.ts'

const FILES_EVERY_MS = 2_000
const ERASING_EVERY_MS = 5_000
const FEES_EVERY_MS = 10_000
const BALANCE_CHECK_EVERY_MS = 15_000
const BACKING_EVERY_MS = 2_000
const ANCESTRY_EVERY_MS = 2_000
const AUDIT_EVERY_MS = 5_000
const INVARIANTS_EVERY_MS = 5_000
const LOST_EVERY_MS = 10_000
const RECONCILE_EVERY_MS = 5 * 60_000
const COSTS_EVERY_MS = 30_000
const COUNT_EVERY_MS = 5_000
const FIGURES_EVERY_MS = 30_000
const BACKUPS_EVERY_MS = 60_000
const TREASURY_EVERY_MS = 10_000
const INVOICES_EVERY_MS = 1_000
/** How often to check whether the day has its anchor. */
const SEAL_EVERY_MS = 60_000

/** Composes a worker's jobs: withdrawals, prices, notifications, checks of the books. */
export const createWorkerJobs = (world: World, deps: WorkerDeps): Job[] => {
  const { runtime, catalogue } = world
  const { deposits } = createChainSubscribers(world)
  const all = [...deps.adapters.values()]
  const tickers = [
    ...new Set([...[...catalogue.crypto, ...catalogue.fiat].map((asset) => asset.ticker), ...BASE_TICKERS]),
  ]
  const rules = { catalogue, bitcoinChain: world.wallet.bitcoinChain }
  const invoices = { runtime, settings: invoiceSettings(world), everyMs: INVOICES_EVERY_MS, pause: deps.pause }
  return [
    createSignerLimitsJob(runtime, catalogue, deps.signer),
    createFeeRateJob(runtime, all, FEES_EVERY_MS, gasReader(world)),
    ...priceJobs(world, deps, tickers),
    createInternalDeliveryJob({
      runtime,
      catalogue,
      networks: [...catalogue.networks],
      receive: (tx, withdrawal, moment) => deposits.receiveInternal(tx, withdrawal, moment),
      proved: (waiting) => provedPayments(runtime, 'withdrawal', waiting),
      withdrawalSubscribers: createWithdrawalSubscribers(world),
    }),
    ...all.flatMap((adapter) => payoutJobs(world, deps, adapter)),
    createClosedJob({
      runtime,
      catalogue,
      signer: deps.signer,
      withdrawalSubscribers: createWithdrawalSubscribers(world),
    }),
    ...all.map((adapter) => createLostJob(runtime, adapter, LOST_EVERY_MS)),
    ...all.flatMap((adapter) => {
      const { network } = adapter
      if (network === 'BITCOIN')
        return 'ancestorsOf' in adapter
          ? [createAncestryJob(runtime, adapter as unknown as CoinChainAdapter, ANCESTRY_EVERY_MS)]
          : []
      const backing = createBackingJob({ runtime, catalogue, network, adapter, deposits, everyMs: BACKING_EVERY_MS })
      if (!isEvmNetwork(network)) return [backing]
      const comparing = { runtime, network, adapter, deposits, everyMs: BALANCE_CHECK_EVERY_MS }
      return [backing, createBalanceCheckJob(comparing), createUntracedJob(comparing)]
    }),
    ...(world.wallet.next?.isFirstStolen ? [createUndecidedJob(runtime, BACKING_EVERY_MS)] : []),
    ...createScreeningJobs(world, { deposits, adapters: deps.adapters, signer: deps.signer, pause: deps.pause }),
    ...createFiatJobs(world, deps.pause),
    ...createCardJobs(world, (account) => world.publicUrl + callbackPath(account), deps.pause),
    createExpiryJob(invoices),
    createQuoteJob(invoices),
    deps.delivery.job,
    deps.delivery.additional,
    deps.delivery.testing,
    createAttemptPruneJob(runtime),
    createRefusalPruneJob(runtime),
    createCountPruneJob(runtime),
    createMonthsJob(runtime),
    createBackupWatchJob(runtime, BACKUPS_EVERY_MS),
    createAnswerPruneJob(runtime),
    createQuotePruneJob(runtime),
    ...createHedgeJobs(world, deps),
    createErasingJob(runtime, ERASING_EVERY_MS),
    createPlacingJob(
      { runtime, rules, refunds: createRefundMakers(world, rules), toCards: cardPlacing(world) },
      FILES_EVERY_MS,
    ),
    ...createConversionJobs(world, deps.holders, deps.pause),
    createSealJob(runtime, SEAL_EVERY_MS),
    createAuditJob(runtime, AUDIT_EVERY_MS),
    createInvariantJob(runtime, INVARIANTS_EVERY_MS),
    ...all.map((adapter) => createReconcileJob(runtime, catalogue, [adapter], RECONCILE_EVERY_MS)),
    createCostJob(runtime, COSTS_EVERY_MS),
    createCountJob(runtime, COUNT_EVERY_MS),
    createFigureJob(runtime, FIGURES_EVERY_MS),
    createMonthlyMailsJob(world),
    createHotWatchJob({
      runtime,
      catalogue,
      policies: world.policies.treasury,
      addresses: hotAddresses(world, all),
      everyMs: TREASURY_EVERY_MS,
    }),
  ]
}

const gasReader = ({
  runtime,
  catalogue,
  wallet,
}: World): ((adapter: ChainAdapter) => Promise<PaymentGas | undefined>) => {
  const read = createGasReader({ runtime, catalogue, hotAddress: evmHotAddress(wallet) })
  return async (adapter) =>
    isEvmNetwork(adapter.network) ? read(adapter as AccountChainAdapter, adapter.network) : undefined
}

/** The addresses at which the operator funds the hot wallet of each network. */
const hotAddresses = ({ wallet }: World, adapters: readonly ChainAdapter[]): Map<Network, string> =>
  new Map(
    adapters.map(({ network }) => {
      if (network === 'BITCOIN') return [network, bitcoinHotAddress(wallet)]
      return [network, network === 'TRON' ? tronHotAddress(wallet) : evmHotAddress(wallet)]
    }),
  )

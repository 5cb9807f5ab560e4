import { isEvmNetwork, type Network } from '@bursar/chainkit'
import type { AccountChainAdapter, ChainAdapter, CoinChainAdapter, TronChainAdapter } from './adapters/chains/port.ts'
import type { BookSource, OfficialSource, RateSource } from './adapters/rates/port.ts'
import type { Signer } from './adapters/signer/port.ts'
import { callbackPath } from './acquiring/index.ts'
import { addressRoutes, createAddressIssuer, createStockJob, familyOf } from './addresses/index.ts'
import { assetRoutes, type Catalogue } from './assets/index.ts'
import { balanceRoutes } from './balances/index.ts'
import { hearPayoutCallback } from './card-payouts/index.ts'
import {
  createConsolidationJob, createConsolidationSettlement, createOutrunFollowing, createRescueJob, payForParent,
} from './consolidation/index.ts'
import { problemPage } from './checkout/index.ts'
import { createCheckout } from './paying.ts'
import { createColdFollowing, createColdJob, createColdSettlement } from './cold/index.ts'
import { createConversionJobs, depositExpecting, exchangingDeps, targetKeeper } from './converting.ts'
import { createCostJob } from './costs/index.ts'
import type { PoolSettings } from './db/index.ts'
import { createEvmDirect } from './direct/index.ts'
import { createBalanceCheckJob, createDeposits, depositRoutes, findDeposit, type Deposits } from './deposits/index.ts'
import { createQuotePruneJob, exchangeRoutes, type ExchangePolicy } from './exchange/index.ts'
import { createAnswerPruneJob, createHttpServer, createRateLimiter, type HostedPages, type HttpDeps } from './http/index.ts'
import {
  BASE_TICKERS, createExpiryJob, createInvoiceCreator, createInvoices, createQuoteJob, invoiceFormRoute, invoiceRoutes, type ClaimTokens,
} from './invoices/index.ts'
import { invoiceSettings } from './invoicing.ts'
import { exchangeWithdrawalRoutes } from './exchange-withdrawals/index.ts'
import type { Job } from './jobs/index.ts'
import { createCommitter } from './ledger/index.ts'
import { markKeyUsed, type MerchantDirectory } from './merchants/index.ts'
import { bitcoinHotAddress, createFollowing, createSendingJob, evmHotAddress, evmHotKeys, tronHotAddress, type OutgoingSubscriber, type PausePoint, type WalletKeys } from './outgoing/index.ts'
import type { OffsetClock } from './platform/clock.ts'
import type { PageRoute } from './platform/page.ts'
import type { Route } from './platform/route.ts'
import type { Runtime } from './platform/runtime.ts'
import type { Policies } from './policy.ts'
import {
  createBooksJob, createLegRates, createOfficialRatesJob, createPriceReader, createRatesJob, freshPrices, marketOf, PIVOT,
  type AgreementRules,
} from './rates/index.ts'
import { createEvmSweepJob, createHouseFollowing, createSweepSettlement, createTronSweepJob } from './sweeps/index.ts'
import { createFunding, createHotWatchJob, createReconcileJob, createSealJob, unlessStopped } from './treasury/index.ts'
import { createLeadership, createUntracedAlarm, createWatcher, type ChainListener, type Watcher } from './watcher/index.ts'
import { createAttemptPruneJob, webhookRoutes, type Delivery } from './webhooks/index.ts'
import {
  createAddressHolders, createBitcoinPayoutJob, createEvmPayoutJob, createFeeRateJob, createInternalDeliveryJob, createRebalanceJob, createSettlement, createTronPayoutJob,
  findById, spendableSun, withdrawalRoutes,
  type AddressHolders,
  type PayoutDeps,
} from './withdrawals/index.ts'
import { createCardApi, createCardJobs } from './cards.ts'
import { createFiatApi, createFiatJobs, type Acquirers } from './fiat.ts'
import { createAdmission, createScreenCredited, createScreeningJobs, type ScreeningWorld } from './screening.ts'
import { reportPage, screeningRoutes } from './screening/index.ts'
import { createSigning } from './signing.ts'
import { createSweepPermission } from './sweep-permission.ts'
import { createTronSweepPermission } from './tron-sweep-permission.ts'

/** What every role is made of. */
export interface World {
  runtime: Runtime & { clock: OffsetClock }
  catalogue: Catalogue
  policies: Policies
  exchange: ExchangePolicy
  wallet: WalletKeys
  /** where payers and acquirers reach the api, without a slash at its end */
  publicUrl: string
  acquirers: Acquirers
  /** that seal the numbers of cards, the newest first; null where nothing is paid to cards */
  cardKeys: readonly Uint8Array[] | null
  /** how long a quote of an invoice priced in fiat is valid, ms */
  quoteMs: number
  claimTokens: ClaimTokens
  /** who judges where money comes from; null: nobody */
  screening: ScreeningWorld['screening']
}

const STOCK_TARGET = 2_000
const RATES_EVERY_MS = 15_000
const BOOKS_EVERY_MS = 3_000
const OFFICIAL_EVERY_MS = 30 * 60_000
const FEES_EVERY_MS = 10_000
const BALANCE_CHECK_EVERY_MS = 15_000
const RECONCILE_EVERY_MS = 5 * 60_000
const COSTS_EVERY_MS = 30_000
const SWEEP_EVERY_MS = 5_000
const TREASURY_EVERY_MS = 10_000
const INVOICES_EVERY_MS = 1_000

/** Whose money our transactions carry. */
const settlements = (catalogue: Catalogue): OutgoingSubscriber[] => [createSettlement(catalogue), createSweepSettlement(catalogue), createConsolidationSettlement(catalogue), createColdSettlement(catalogue)]

/** The rooms that follow chains, in the order they are told. */
export const createListeners = (world: World): { listeners: ChainListener[]; deposits: ReturnType<typeof createDeposits> } => {
  const { catalogue, policies, runtime } = world
  const deposits: Deposits = createDeposits({
    catalogue,
    policy: policies.deposits,
    prices: (tx, tickers) => freshPrices(tx, tickers, new Date(runtime.clock.now())),
    ...(world.screening === null
      ? { onCredited: [depositExpecting()] }
      : { onCredited: [createScreenCredited(world.publicUrl, () => deposits)], onVerified: [depositExpecting()] }),
    followers: [createInvoices(invoiceSettings(world)).follow],
  })
  const outgoing = createFollowing(settlements(catalogue))
  const house = createHouseFollowing(catalogue)
  return { listeners: [outgoing, house, createColdFollowing(catalogue), createFunding(catalogue), deposits, createOutrunFollowing(), createUntracedAlarm()], deposits }
}

export type ApiLimits = Pick<HttpDeps, 'window' | 'requestsPerMinute' | 'refusalsPerMinute' | 'fingerprintKey'> & {
  pages: Pick<HostedPages, 'postsPerMinute' | 'getsPerMinute' | 'streams'>
  /** of the EVM chains, for payment URIs */
  chainIds: ReadonlyMap<Network, bigint>
}

/** The merchant API: what serves requests, and the jobs that keep them fast. */
export const createApi = (world: World, directory: MerchantDirectory, pool: PoolSettings, { chainIds, ...limits }: ApiLimits) => {
  const { runtime, catalogue, wallet } = world
  const committer = createCommitter(pool)
  const holders = createAddressHolders(pool)
  const { networks } = catalogue
  const issuer = createAddressIssuer({
    db: runtime.db,
    keys: wallet,
    limitOf: async (merchantId) => (await directory.find(merchantId))?.settings.addressLimit ?? null,
  })
  const creator = createInvoiceCreator(runtime.db)
  const tickers = [...catalogue.crypto, ...catalogue.fiat].map((asset) => asset.ticker)
  const keepTarget = targetKeeper(world)
  const fiat = createFiatApi(world, { directory, keepTarget, hearing: [hearPayoutCallback] })
  const exchanging = exchangingDeps(world, holders)
  const routes: Route[] = [
    ...balanceRoutes({ runtime, catalogue }),
    ...addressRoutes({ runtime, issuer, networks, keepTarget }),
    ...depositRoutes({ db: runtime.db, catalogue }),
    ...withdrawalRoutes({ runtime, committer, ...exchanging.placing }),
    ...assetRoutes({ catalogue, prices: createPriceReader(runtime.db, tickers, runtime.clock.now) }),
    ...screeningRoutes({ db: runtime.db, publicUrl: world.publicUrl, exists: async (kind, merchantId, id) => (await (kind === 'deposit' ? findDeposit : findById)(runtime.db, merchantId, id)) !== undefined }),
    ...webhookRoutes({ db: runtime.db }),
    ...fiat.routes,
    ...createCardApi(world, committer, exchanging.desk),
    ...invoiceRoutes({ runtime, directory, creator, settings: invoiceSettings(world), keepTarget }),
    ...exchangeRoutes(exchanging.desk),
    ...exchangeWithdrawalRoutes(exchanging),
  ]
  const checkout = createCheckout(world, directory, pool, chainIds)
  const pages: PageRoute[] = [
    ...checkout.routes,
    reportPage({ db: runtime.db, documents: checkout.documents }),
    ...fiat.pages,
    invoiceFormRoute({ runtime, creator, settings: invoiceSettings(world), keepTarget, directory, limiter: createRateLimiter(), now: runtime.clock.now }),
  ]
  const server = createHttpServer({
    directory,
    clock: runtime.clock,
    ...limits,
    routes,
    pages: { routes: pages, problem: problemPage, ...limits.pages },
    log: runtime.log,
    ready: async () => {
      await runtime.db.selectFrom('business_clock').select('offset_ms').execute()
    },
    onFirstUse: (merchant, key) => {
      runtime.db
        .transaction()
        .execute((tx) => markKeyUsed(tx, merchant.id, key.id, new Date(runtime.clock.business())))
        .catch((err: unknown) => runtime.log.warn({ err }, 'the first use of a key was not noted and will be with its next'))
    },
  })
  const families = [...new Set([...networks].map(familyOf))]
  const jobs: Job[] = [createStockJob({ runtime, keys: wallet, families, target: STOCK_TARGET })]
  const close = async (): Promise<void> => {
    await server.close()
    await checkout.close()
    await issuer.close()
    await creator.close()
    await committer.close()
    await holders.close()
  }
  return { server, jobs, close }
}

export interface WorkerDeps {
  adapters: ReadonlyMap<Network, ChainAdapter>
  chainIds: ReadonlyMap<Network, bigint>
  signer: Signer
  sources: readonly RateSource[]
  /** order books, official rates, and how a leg is judged where it isn't by the standard */
  market: { books: readonly BookSource[]; official: readonly OfficialSource[]; legs: Readonly<Record<string, Partial<AgreementRules>>> }
  delivery: Delivery
  holders: Pick<AddressHolders, 'whose'>
  pause: PausePoint
}

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
    ...createConversionJobs(world, deps.holders, deps.pause),
    createSealJob(runtime, 1_000),
    createReconcileJob(runtime, catalogue, all, RECONCILE_EVERY_MS),
    createCostJob(runtime, COSTS_EVERY_MS),
    createHotWatchJob({ runtime, catalogue, policies: world.policies.treasury, addresses: hotAddresses(world, all), everyMs: TREASURY_EVERY_MS }),
  ]
}

/** Currencies that something may be priced in without being held (`contract.md` 5.14). */
const PRICED_IN = ['USD', 'EUR']

const priceJobs = ({ runtime }: World, { sources, market }: WorkerDeps, tickers: readonly string[]): Job[] => {
  const all = [...new Set([...tickers, ...PRICED_IN])]
  const served = all.filter((ticker) => ticker !== PIVOT && market.books.some((source) => source.serves(marketOf(ticker))))
  return [
    ...(market.official.length === 0 ? [] : [createOfficialRatesJob({ runtime, sources: market.official, everyMs: OFFICIAL_EVERY_MS })]),
    ...(served.length === 0 ? [] : [createBooksJob({ runtime, sources: market.books, tickers: served, rules: market.legs, everyMs: BOOKS_EVERY_MS })]),
    createRatesJob({ runtime, sources: served.length === 0 ? sources : [...sources, createLegRates(runtime.db, runtime.clock.now)], tickers: all, everyMs: RATES_EVERY_MS }),
  ]
}

const payoutJobs = (world: World, deps: WorkerDeps, adapter: ChainAdapter): Job[] => {
  const { runtime, catalogue, wallet, policies } = world
  const { network } = adapter
  const policy = policies.sending[network]
  const signing = createSigning(runtime.db, catalogue, deps.signer)
  const admitted = createAdmission(world)
  const payout: PayoutDeps = { runtime, catalogue, adapter, wallet, policy, approved: async (waiting) => signing.approved(await admitted(waiting)), pause: deps.pause }
  const joining = network === 'BITCOIN' ? { ...payout, adapter: adapter as CoinChainAdapter, sending: policy, policy: policies.consolidation } : undefined
  const sending = createSendingJob({
    runtime,
    network,
    adapter,
    signer: deps.signer,
    policy,
    wallet,
    subscribers: settlements(catalogue),
    purposeOf: signing.purposeOf,
    pause: deps.pause,
    ...(joining && { payForParent: payForParent(joining) }),
  })
  const everyMs = policies.payoutEveryMs[network]
  const cold = coldJob(world, deps, adapter, (ticker) => signing.coldAddress(network, ticker))
  const own = (...jobs: Job[]): Job[] => jobs.map((job) => unlessStopped(runtime.db, network, job))
  if (joining) return [createBitcoinPayoutJob(payout, everyMs), sending, ...own(createConsolidationJob(joining), createRescueJob(joining), cold)]
  if (network === 'TRON') {
    const tron = { ...payout, adapter: adapter as TronChainAdapter, hotAddress: tronHotAddress(wallet) }
    const sweeps = createTronSweepJob(
      { ...tron, policy: policies.sweep.TRON, maxFee: policy.maxFee, allowed: createTronSweepPermission(deps.signer), spendable: () => spendableSun(tron) },
      SWEEP_EVERY_MS,
    )
    return [createTronPayoutJob(tron, everyMs), sending, ...own(sweeps, cold)]
  }
  if (!isEvmNetwork(network)) throw new Error(`nothing pays out on ${network}`)
  const evm = { ...payout, network, adapter: adapter as AccountChainAdapter, chainId: deps.chainIds.get(network)!, hotAddress: evmHotAddress(wallet), hotKeys: evmHotKeys(wallet, policy.hotAddresses) }
  const allowed = createSweepPermission(runtime, deps.signer, network, evm.hotAddress)
  const sweeps = createEvmSweepJob({ ...evm, policy: policies.sweep[network], sending: policy, allowed }, SWEEP_EVERY_MS)
  const fromDeposits = createEvmDirect({ ...evm, sending: policy, sweeps: policies.sweep[network] })
  return [createEvmPayoutJob({ ...evm, fromDeposits }, everyMs), sending, ...own(sweeps, cold, createRebalanceJob(evm, SWEEP_EVERY_MS))]
}

const coldJob = (
  { runtime, catalogue, wallet, policies }: World,
  { chainIds, pause }: WorkerDeps,
  adapter: ChainAdapter,
  signersCold: (ticker: string) => Promise<string | undefined>,
): Job => {
  const { network } = adapter
  const chainId = isEvmNetwork(network) ? { chainId: chainIds.get(network)! } : {}
  const policy = { sending: policies.sending[network], treasury: policies.treasury[network] }
  return createColdJob({ runtime, catalogue, network, adapter, wallet, ...policy, ...chainId, signersCold, pause }, TREASURY_EVERY_MS)
}

/** Where the operator fills the hot wallet of each network. */
const hotAddresses = ({ wallet }: World, adapters: readonly ChainAdapter[]): Map<Network, string> =>
  new Map(adapters.map(({ network }) => {
    if (network === 'BITCOIN') return [network, bitcoinHotAddress(wallet)]
    return [network, network === 'TRON' ? tronHotAddress(wallet) : evmHotAddress(wallet)]
  }))

/** A watcher for each network whose node is configured. */
export const createWatchers = (
  world: World,
  adapters: ReadonlyMap<Network, ChainAdapter>,
  identities: ReadonlyMap<Network, string>,
  pool: PoolSettings,
): Watcher[] => {
  const { runtime, policies } = world
  const { listeners } = createListeners(world)
  return [...adapters].map(([network, adapter]) =>
    createWatcher({
      runtime,
      adapter,
      listeners,
      settings: { ...policies.watch[network], network, identity: identities.get(network)! },
      leadership: createLeadership({ url: pool.url, network }),
    }),
  )
}

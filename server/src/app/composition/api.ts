import { randomBytes } from 'node:crypto'
import { readClockOffset } from '../../platform/runtime/business-clock.ts'
import type { World } from './world.ts'
import type { Network } from '@bursar/chainkit'
import { heldTotals } from '../../cards/acquiring/index.ts'
import { addressRoutes, createAddressIssuer, createStockJob, familyOf } from '../../chain/addresses/index.ts'
import { assetRoutes } from '../../market/assets/index.ts'
import { balanceRoutes } from '../../ledger/balances/index.ts'
import { hearPayoutCallback } from '../../cards/card-payouts/index.ts'
import { linkPages, linkRoutes } from '../../pay-in/payment-links/index.ts'
import { createSellers, problemPage } from '../../pay-in/checkout/index.ts'
import { createCheckout } from './paying.ts'
import { createDashboard } from './people.ts'
import { exchangingDeps, targetKeeper } from './converting.ts'
import type { PoolSettings } from '../../platform/db/index.ts'
import { depositRoutes, findDeposit } from '../../pay-in/deposits/index.ts'
import { exchangeRoutes } from '../../exchange/exchanges/index.ts'
import { createHttpServer, createRateLimiter, type HostedPages, type HttpDeps } from '../http/index.ts'
import { createInvoiceCreator, invoiceFormRoute, invoiceRoutes } from '../../pay-in/crypto-invoices/index.ts'
import { invoiceSettings } from './invoicing.ts'
import { exchangeWithdrawalRoutes } from '../../exchange/exchange-withdrawals/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { createCommitter } from '../../ledger/postings/index.ts'
import { createRefusalLog } from '../../merchants/refused-requests/index.ts'
import { createRequestCounts } from '../../merchants/request-counts/index.ts'
import { createKeyUses, markKeyUsed, type MerchantDirectory } from '../../merchants/accounts/index.ts'
import { createKnownRequests } from '../../ledger/orders/index.ts'
import type { PageRoute } from '../../platform/api/page.ts'
import type { Route } from '../../platform/api/route.ts'
import { createPriceReader } from '../../market/rates/index.ts'
import { webhookRoutes } from '../../merchants/webhooks/index.ts'
import { createOrderPolicy } from '../../pay-out/requests/index.ts'
import { createAddressHolders, findById, withdrawalRoutes } from '../../pay-out/withdrawals/index.ts'
import { createCardApi } from './cards.ts'
import { createFiatApi, makingSettings } from './fiat.ts'
import { listRoutes } from './lists.ts'
import { placedOrderRoutes } from './orders.ts'
import { reportPage, screeningRoutes } from '../../risk/screening/index.ts'

/** The settings of the edge. Each is required, so that none can be forgotten between the environment and the server. */
export type ApiLimits = Required<
  Pick<
    HttpDeps,
    | 'window'
    | 'requestsPerMinute'
    | 'refusalsPerMinute'
    | 'fingerprintKeys'
    | 'trustedProxies'
    | 'mostConnections'
    | 'meter'
  >
> & {
  pages: Required<Pick<HostedPages, 'postsPerMinute' | 'getsPerMinute' | 'streams'>>
  /** data keys, newest first */
  dataKeys: readonly Uint8Array[]
  /** addresses of each family to derive ahead */
  addressStock: number
  /** of the EVM networks, for payment URIs */
  chainIds: ReadonlyMap<Network, bigint>
  /** whether the process finishes its work and should get no new requests */
  isStopping(): boolean
} & Pick<HttpDeps, 'pause'>

/** Composes the merchant API: the server, and the jobs that prepare data for it. */
export const createApi = (
  world: World,
  directory: MerchantDirectory,
  pool: PoolSettings,
  { chainIds, addressStock, dataKeys, isStopping, ...limits }: ApiLimits,
) => {
  const { runtime, catalogue, wallet } = world
  const committer = createCommitter(pool)
  const holders = createAddressHolders(pool)
  const known = createKnownRequests(pool)
  const { networks } = catalogue
  const issuer = createAddressIssuer({
    db: runtime.db,
    keys: wallet,
    limitOf: async (merchantId) => (await directory.find(merchantId))?.settings.addressLimit ?? null,
  })
  const creator = createInvoiceCreator(runtime.db)
  const tickers = [...catalogue.crypto, ...catalogue.fiat].map((asset) => asset.ticker)
  const orderPolicy = createOrderPolicy(runtime)
  const keepTarget = targetKeeper(world, orderPolicy)
  const fiat = createFiatApi(world, { directory, keepTarget, callbacks: [hearPayoutCallback] })
  const exchanging = exchangingDeps(world, holders)
  const routes: Route[] = [
    ...balanceRoutes({ runtime, catalogue, heldOf: (merchantId) => heldTotals(runtime.db, merchantId) }),
    ...addressRoutes({ runtime, issuer, networks, keepTarget }),
    ...depositRoutes({ db: runtime.db, catalogue }),
    ...withdrawalRoutes({ runtime, committer, orderPolicy, ...exchanging.placing }),
    ...assetRoutes({ catalogue, prices: createPriceReader(runtime.db, tickers, runtime.clock.now) }),
    ...screeningRoutes({
      db: runtime.db,
      publicUrl: world.publicUrl,
      stateOf: async (kind, merchantId, id) =>
        (await (kind === 'deposit' ? findDeposit : findById)(runtime.db, merchantId, id))?.state,
    }),
    ...webhookRoutes({ db: runtime.db }),
    ...fiat.routes,
    ...createCardApi(world, committer, exchanging.trading, orderPolicy),
    ...invoiceRoutes({ runtime, directory, creator, settings: invoiceSettings(world), keepTarget }),
    ...linkRoutes({ runtime, settings: makingSettings(world), random: randomBytes }),
    ...exchangeRoutes(exchanging.trading),
    ...exchangeWithdrawalRoutes({ ...exchanging, orderPolicy }),
    ...placedOrderRoutes({ runtime, catalogue }),
    ...listRoutes(world),
  ]
  const checkout = createCheckout(world, directory, pool, chainIds)
  const pages: PageRoute[] = [
    ...checkout.routes,
    ...createDashboard(world, dataKeys, chainIds, exchanging.trading, checkout.documents),
    ...linkPages({
      runtime,
      settings: makingSettings(world),
      directory,
      sellers: createSellers(directory),
      limiter: createRateLimiter(),
    }),
    reportPage({ db: runtime.db, documents: checkout.documents }),
    ...fiat.pages,
    invoiceFormRoute({
      runtime,
      creator,
      settings: invoiceSettings(world),
      keepTarget,
      directory,
      limiter: createRateLimiter(),
      now: runtime.clock.now,
    }),
  ]
  const keyUses = createKeyUses(runtime.db)
  const refusals = createRefusalLog(runtime.db)
  const counts = createRequestCounts(runtime.db, runtime.clock.now)
  const server = createHttpServer({
    directory,
    clock: runtime.clock,
    ...limits,
    routes,
    pages: { routes: pages, problem: problemPage, ...limits.pages },
    log: runtime.log,
    ready: async () => {
      if (isStopping()) throw new Error('the process stops')
      await readClockOffset(runtime.db)
    },
    findKnown: known.find,
    onKeyUse: keyUses.note,
    onRefused: refusals.note,
    onSigned: counts.note,
    onFirstUse: (merchant, key) => {
      runtime.db
        .transaction()
        .execute((tx) => markKeyUsed(tx, merchant.id, key.id, new Date(runtime.clock.business())))
        .catch((err: unknown) =>
          runtime.log.warn({ err }, 'the first use of a key was not recorded; its next use records it'),
        )
    },
  })
  const families = [...new Set([...networks].map(familyOf))]
  const jobs: Job[] = [
    createStockJob({ runtime, keys: wallet, families, target: addressStock }),
    keyUses.job,
    refusals.job,
    counts.job,
  ]
  const close = async (): Promise<void> => {
    await server.close()
    await forEachIsolated([keyUses.job, refusals.job, counts.job], ({ run }) =>
      run(new AbortController().signal),
    ).catch((err: unknown) =>
      runtime.log.warn({ err }, 'the newest uses of keys, refused requests and counts of requests were not stored'),
    )
    for (const part of [checkout, issuer, creator, committer, holders, known]) await part.close()
  }
  return { server, jobs, close }
}

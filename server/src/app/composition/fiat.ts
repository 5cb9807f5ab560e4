import { randomUUID } from 'node:crypto'
import {
  callbackRoutes,
  createAcquiringPruneJob,
  createHoldJob,
  createCallbackHandler,
  createPaymentJobs,
  createRefundJob,
  createRoutingTable,
  createStatementJob,
  requireRanges,
  type CallbackSubscriber,
  type PaymentSubscriber,
  type RoutingTable,
} from '../../cards/acquiring/index.ts'
import {
  openAcquirers,
  readAcquirersConfig,
  type Acquirer,
  type AcquirersConfig,
} from '../../adapters/acquirers/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { payoutBooks } from '../../cards/card-payouts/index.ts'
import { expectingFiat } from './converting.ts'
import {
  createFiatExpiryJob,
  createInvoicePaymentSubscriber,
  fiatInvoiceFormRoute,
  fiatInvoiceRoutes,
  type FiatInvoiceSettings,
} from '../../pay-in/fiat-invoices/index.ts'
import type { MakingSettings } from '../../pay-in/payment-links/index.ts'
import { createRateLimiter } from '../http/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import type { MerchantDirectory } from '../../merchants/accounts/index.ts'
import type { PausePoint } from '../../chain/transactions/index.ts'
import type { KeepTarget } from '../../platform/api/target.ts'
import type { PageRoute } from '../../platform/api/page.ts'
import type { Route } from '../../platform/api/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'

/** Accounts with acquirers, and the routing of orders to them. */
export interface Acquirers {
  byName: ReadonlyMap<string, Acquirer>
  table: RoutingTable
}

/** Creates the accounts of `BURSAR_ACQUIRERS_FILE`; none without the file. */
export const joinAcquirers = (config: AcquirersConfig | null): Acquirers => {
  const byName = openAcquirers(config)
  return { byName, table: createRoutingTable([...byName.values()], config?.routing) }
}

/**
 * Creates the accounts from the file's JSON, for tools outside the platform. Throws an Error that lists everything
 * wrong.
 */
export const readAcquirers = (json: unknown): Acquirers => joinAcquirers(readAcquirersConfig(json))

export interface FiatWorld {
  runtime: Runtime
  catalogue: Catalogue
  publicUrl: string
  acquirers: Acquirers
}

/** Throws an Error when a currency would be offered in which no amount can be paid. */
export const fiatSettings = ({ catalogue, publicUrl, acquirers: { table } }: FiatWorld): FiatInvoiceSettings => {
  requireRanges(table, catalogue.fiat)
  return { catalogue, table, publicUrl }
}

/** Dependencies of invoices that people make, and of payment links. */
export const makingSettings = (world: FiatWorld): MakingSettings => ({
  ...fiatSettings(world),
  networks: world.catalogue.networks,
  newInvoiceId: randomUUID,
})

/** The subscriber that decides who gets the money of card payments. */
export const paymentSubscriber = (world: FiatWorld): PaymentSubscriber =>
  expectingFiat(createInvoicePaymentSubscriber(fiatSettings(world)))

/** Composes the api's routes of fiat. @param callbacks subscribers of modules besides payments that use acquirers */
export const createFiatApi = (
  world: FiatWorld,
  {
    directory,
    keepTarget,
    callbacks,
  }: { directory: MerchantDirectory; keepTarget: KeepTarget; callbacks: readonly CallbackSubscriber[] },
): { routes: Route[]; pages: PageRoute[] } => {
  const { runtime, acquirers } = world
  const deps = { runtime, settings: fiatSettings(world), directory, newInvoiceId: randomUUID, keepTarget }
  return {
    routes: fiatInvoiceRoutes(deps),
    pages: [
      fiatInvoiceFormRoute({ ...deps, limiter: createRateLimiter() }),
      ...callbackRoutes({
        runtime,
        acquirers: acquirers.byName,
        subscribers: [createCallbackHandler(paymentSubscriber(world)), ...callbacks],
      }),
    ],
  }
}

const PAYMENTS_EVERY_MS = 500
const REFUNDS_EVERY_MS = 2_000
const EXPIRY_EVERY_MS = 5_000
const HOLDS_EVERY_MS = 10_000
const STATEMENTS_EVERY_MS = 4 * 3_600_000

/** Composes a worker's jobs for fiat invoices. */
export const createFiatJobs = (world: FiatWorld, pause: PausePoint): Job[] => {
  const {
    runtime,
    publicUrl,
    acquirers: { byName: acquirers, table },
  } = world
  return [
    ...createPaymentJobs(
      { runtime, acquirers, table, subscriber: paymentSubscriber(world), publicUrl, pause },
      PAYMENTS_EVERY_MS,
    ),
    createRefundJob({ runtime, acquirers, subscriber: paymentSubscriber(world), pause }, REFUNDS_EVERY_MS),
    createFiatExpiryJob({ runtime, settings: fiatSettings(world), pause }, EXPIRY_EVERY_MS),
    createHoldJob({ runtime, subscriber: paymentSubscriber(world), pause }, HOLDS_EVERY_MS),
    createStatementJob({ runtime, acquirers, payouts: payoutBooks, pause }, STATEMENTS_EVERY_MS),
    createAcquiringPruneJob(runtime),
  ]
}
